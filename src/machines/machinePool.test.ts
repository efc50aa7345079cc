/** A pool of a generator here and of machines that say they are there: which of them it counts on. */
import { beforeAll, expect, test } from 'vitest';
import type { GroupResult, SamplingSettings } from '@rl-playground/engine/parts';
import {
  startBackend,
  tinyGenerator,
  tinyRequests,
  createLocalPool,
} from '@rl-playground/engine/parts/tensors';
import { tinyPool } from '@rl-playground/engine/testing/tinyModels';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { computationOf } from '@rl-playground/run/environment/computation';
import { MachinePool, type PoolChannel } from './machinePool.ts';
import type { Request } from './messages.ts';
import type { RunListener } from './runChannel.ts';

const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 4, stop: [] };
const model = tinyGenerator('gqa', [5]);

const completionsOf = (groups: readonly GroupResult[]) => groups.map(({ completions }) => completions);

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

/** The server's end of a run. What is asked stays there until somebody answers. */
class HeldChannel implements PoolChannel {
  readonly computation = computationOf('');
  readonly asked: Omit<Request, 'run'>[] = [];
  listener: RunListener | null = null;
  firstWanted = 1;
  readonly #waiting: ((request: Omit<Request, 'run'>) => void)[] = [];

  offer(): Promise<void> {
    return Promise.resolve();
  }
  listen(listener: RunListener): void {
    this.listener = listener;
  }
  put(name: string): Promise<{ name: string; digest: string; bytes: number }> {
    return Promise.resolve({ name, digest: '', bytes: 0 });
  }
  has(): Promise<boolean> {
    return Promise.resolve(true);
  }
  remove(): Promise<void> {
    return Promise.resolve();
  }
  ask(request: Omit<Request, 'run'>): Promise<void> {
    this.asked.push(request);
    for (const tell of this.#waiting.splice(0)) tell(request);
    return Promise.resolve();
  }
  passOver(): void {
    // Nobody is at work.
  }
  drop(): void {
    // Nobody hears it.
  }
  letIn(): void {
    // Nobody hears it.
  }

  /** The request that is put there next. */
  next(): Promise<Omit<Request, 'run'>> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  comes(machine: string): void {
    this.listener?.present({
      kind: 'machine',
      machine,
      name: machine,
      computation: this.computation,
      leaving: false,
    });
  }
}

test('nothing waits for machines that have shown nothing, and one that answers its trial is counted on', async () => {
  const channel = new HeldChannel();
  const local = createLocalPool(model);
  const changes: (() => void)[] = [];
  /** Groups of the machine that answers, when news came last. */
  let told = 0;
  const pool = new MachinePool({
    channel,
    model,
    precision: 'f32',
    local,
    onNews: () => {
      told = pool.machines.find(({ name }) => name === 'invented 7')?.groups ?? 0;
      for (const changed of changes.splice(0)) changed();
    },
  });
  const weights = tinyPool('gqa');
  await pool.setWeights(1, weights);
  const requests = tinyRequests(6, 2).map((request, problem) => ({ ...request, problem }));
  const generated = async () => completionsOf(await pool.generate(requests, SAMPLING));
  const alone = await generated();
  for (let i = 0; i < 300; i++) channel.comes(`invented ${i}`);
  expect(pool.machines.length).toBe(256);
  expect(pool.size).toBe(1);

  // Nobody ever answers, and no time has to pass.
  const trial = channel.next();
  expect(await generated()).toEqual(alone);
  expect(await generated()).toEqual(alone);
  const asked = await trial;
  expect(asked.groups).toHaveLength(1);
  expect(channel.asked).toHaveLength(1);
  expect(pool.own?.answers).toBe(3 * 12);

  // The trial is the first of the groups that were answered here, so its answer is known.
  const [completions] = alone;
  if (completions === undefined) throw new Error('There was no group.');
  const answers = ({ chunk, nonce, weights: { version } }: Omit<Request, 'run'>): void =>
    channel.listener?.answered({
      message: {
        kind: 'answer',
        run: 'run',
        machine: 'invented 7',
        chunk,
        nonce,
        group: 0,
        version,
        computation: channel.computation,
        precision: 'f32',
        seconds: 1,
        busySeconds: 1,
        completions,
      },
      signedBy: () => Promise.resolve(true),
    });
  const credited = new Promise<void>((resolve) => changes.push(resolve));
  answers(asked);
  await credited;
  expect(pool.machines.find(({ name }) => name === 'invented 7')).toMatchObject({ groups: 1, dropped: null });
  expect(pool.size).toBe(2);
  // The place behind that of the generator here is a machine's. What it has added has been told of when its answer is there.
  let more = channel.next();
  const first = pool.generateOn(1, requests.slice(0, 1), SAMPLING);
  answers(await more);
  expect(completionsOf(await first)).toEqual(alone.slice(0, 1));
  expect(told).toBe(2);
  more = channel.next();
  const placed = pool.generateOn(1, requests.slice(0, 1), SAMPLING);
  expect((await more).groups).toHaveLength(1);
  more = channel.next();
  const shared = generated();
  expect((await more).groups.length).toBeGreaterThan(0);
  // It leaves without an answer: what it had is answered here.
  channel.listener?.present({
    kind: 'machine',
    machine: 'invented 7',
    name: 'invented 7',
    computation: channel.computation,
    leaving: true,
  });
  expect(await shared).toEqual(alone);
  expect(completionsOf(await placed)).toEqual(alone.slice(0, 1));
  expect(pool.size).toBe(1);
  pool.dispose();
});
