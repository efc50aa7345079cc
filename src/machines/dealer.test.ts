/** Dealing by a clock of the test's own: who is slow is dealt less, and what does not come in time is asked again. */
import { beforeEach, expect, test } from 'vitest';
import type { GroupRequest, GroupResult, SamplingSettings } from '@rl-playground/engine/parts';
import { tinyGenerator, tinyRequests } from '@rl-playground/engine/parts/tensors';
import { Call } from './call.ts';
import { Dealer, type DealerParts } from './dealer.ts';
import { MachineList } from './machineList.ts';
import type { Answer, Failure, Request } from './messages.ts';
import type { WeightsOnShelf } from './weightShelf.ts';

const SAMPLING: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 1, stop: [] };
const weights: WeightsOnShelf = {
  version: 1,
  pool: null,
  frozen: null,
  factors: null,
  references: () => Promise.resolve({ version: 1, pool: null, frozen: null, adapter: null }),
};

type Asked = Omit<Request, 'run'>;

/** Machines that take from one queue, as the server hands it out, and answer each group in seconds of their own. */
class World {
  now = 0;
  readonly queue: Asked[] = [];
  readonly asked: Asked[] = [];
  readonly list = new MachineList(() => this.now);
  readonly dropped: string[] = [];
  troubles = 0;
  /** True if the server takes no requests. */
  isFull = false;
  /** A machine whose answers are found to be wrong, and the number of its groups before that. */
  wrongAfter: { readonly computation: string; left: number } | null = null;
  readonly dealer: Dealer;
  readonly #parts: Omit<DealerParts, 'locals'> = {
    channel: {
      ask: (request) => {
        if (this.isFull) return Promise.reject(new Error('The store of the NATS server is full.'));
        this.queue.push(request);
        this.asked.push(request);
        return Promise.resolve();
      },
      passOver: (chunks) => {
        for (const id of chunks) {
          const at = this.queue.findIndex(({ chunk }) => chunk === id);
          if (at >= 0) this.queue.splice(at, 1);
        }
      },
      firstWanted: 0,
      drop: (machine) => this.dropped.push(machine),
    },
    machines: this.list,
    inspector: {
      inspect: ({ computation }) => {
        const wrong = this.wrongAfter?.computation === computation && this.wrongAfter.left-- <= 0;
        return Promise.resolve({
          gaps: { largest: 0, mean: 0 },
          replayed: false,
          wrong: wrong ? 'it is wrong' : null,
        });
      },
    },
    model: tinyGenerator('gqa', []),
    now: () => this.now,
    onDropped: () => undefined,
    onServerTrouble: () => void this.troubles++,
  };
  readonly answers: Record<string, number> = {};
  readonly #work = new Map<string, { readonly request: Asked; group: number; left: number }>();

  readonly speeds: Readonly<Record<string, number>>;

  /** Seconds that each takes for a group; `locals`: generators of the run's own. */
  constructor(speeds: Readonly<Record<string, number>>, locals = 0) {
    this.speeds = speeds;
    this.dealer = new Dealer({ ...this.#parts, locals });
    for (const name of Object.keys(speeds)) {
      this.list.present({ kind: 'machine', machine: name, name, computation: name, leaving: false });
      this.answers[name] = 0;
    }
  }

  ask(
    requests: readonly GroupRequest[],
    onGroup?: (index: number, group: GroupResult) => void,
    isTrial = false,
  ): Call {
    const call = new Call(requests, SAMPLING, weights, onGroup ? { onGroup } : {}, isTrial);
    this.dealer.ask(call);
    return call;
  }

  /** A tenth of a second, and what is sent in it. */
  async pass(): Promise<void> {
    await settled();
    this.now += 100;
    for (const [name, seconds] of Object.entries(this.speeds)) {
      if (this.list.record(name)?.dropped !== null) continue;
      const at = this.#work.get(name) ?? this.#next(name, seconds);
      if (at === null || (at.left -= 0.1) > 1e-9) continue;
      this.#answer(name, at.request, at.group);
      at.group++;
      at.left = seconds;
      if (at.group === at.request.groups.length) this.#work.delete(name);
    }
    if (this.now % 1000 === 0) this.dealer.tick();
    await settled();
  }

  #next(name: string, seconds: number) {
    const request = this.queue.shift();
    if (request === undefined || seconds === Infinity) return null;
    const work = { request, group: 0, left: seconds };
    this.#work.set(name, work);
    return work;
  }

  #answer(machine: string, { chunk, nonce, groups }: Asked, group: number): void {
    this.answers[machine] = (this.answers[machine] ?? 0) + 1;
    const { samples } = groups[group] as GroupRequest;
    const one = { tokens: [1], logprobs: [-1], stopReason: 'max_tokens' as const };
    const message: Answer = {
      kind: 'answer',
      run: 'run',
      machine,
      chunk,
      nonce,
      group,
      version: 1,
      computation: machine,
      precision: 'f32',
      seconds: 1,
      busySeconds: 1,
      completions: Array.from({ length: samples }, () => one),
    };
    void this.dealer.answered({ message, signedBy: () => Promise.resolve(true) });
  }

  /** The machine takes the next request and answers it. */
  succeed(machine: string): void {
    const request = this.queue.shift() as Asked;
    for (const group of request.groups.keys()) this.#answer(machine, request, group);
  }

  /** The machine takes the next request and can't answer it. */
  async fail(machine: string, fault: Failure['fault']): Promise<void> {
    const { chunk, nonce } = this.queue.shift() as Asked;
    const message: Failure = { kind: 'failed', run: 'run', machine, chunk, nonce, message: 'no luck', fault };
    await this.dealer.answered({ message, signedBy: () => Promise.resolve(true) });
  }

  async until(call: Call, most = 600): Promise<void> {
    while (!call.over && this.now < 1000 * most) await this.pass();
    if (!call.over) throw new Error(`The call is not over after ${most} s.`);
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let requests: readonly GroupRequest[];
beforeEach(() => {
  requests = tinyRequests(1, 1).flatMap((request) =>
    Array.from({ length: 64 }, (_, problem) => ({ ...request, problem })),
  );
});

test('a machine that takes four times as long is dealt about a quarter, and nobody waits long for it', async () => {
  const world = new World({ fast: 0.5, quick: 0.5, slow: 2 });
  await world.until(world.ask(requests));
  const { fast = 0, quick = 0, slow = 0 } = world.answers;
  expect(fast + quick + slow).toBe(64);
  // Of 4 + 4 + 1 parts it has one: 7.1 groups, give or take what a chunk of its holds.
  expect(slow).toBeGreaterThanOrEqual(4);
  expect(slow).toBeLessThanOrEqual(11);
  // Without any waiting 64 groups take 64 / 4.5 s = 14.2 s; dealt in equal parts they would take 43 s.
  expect(world.now / 1000).toBeLessThan(22);
});

test('what a machine holds that says nothing more is asked again after the run’s own pace, once', async () => {
  const world = new World({ sound: 0.5, dead: Infinity });
  const first = world.ask(requests);
  // The dead one takes a request out of the queue, as a machine does that then loses its power.
  await settled();
  const held = world.queue.shift() as Asked;
  await world.until(first);
  const again = world.asked.filter(({ groups }) =>
    groups.some(({ problem }) => held.groups.some((each) => each.problem === problem)),
  );
  expect(again.length).toBeGreaterThan(1);
  expect(world.answers).toEqual({ sound: 64, dead: 0 });
  // Before anything has come nobody knows the pace: then it is two minutes; after the first chunk eight times what that took.
  expect(world.now / 1000).toBeGreaterThan(120);
  expect(world.dealer.patience).toBeLessThanOrEqual(600);
});

test('what a machine had answered of a call is taken back when it is found out, unless somebody has heard of it', async () => {
  for (const heard of [false, true]) {
    const world = new World({ sound: 1, cheat: 0.5 });
    world.wrongAfter = { computation: 'cheat', left: 5 };
    const hearing: number[] = [];
    await world.until(world.ask(requests, heard ? (index) => hearing.push(index) : undefined));
    expect(world.dropped).toEqual(['cheat']);
    expect(world.answers['cheat']).toBe(6);
    expect(world.answers['sound']).toBe(heard ? 59 : 64);
    expect(hearing).toHaveLength(heard ? 64 : 0);
  }
});

test('a machine that meets trouble with the server is not dropped for it, however often, and it is said once', async () => {
  const world = new World({ unlucky: 0.5 });
  const call = world.ask(requests);
  const said: string[] = [];
  for (let i = 0; i < 10; i++) {
    await settled();
    await world.fail('unlucky', 'server');
    said.push(...[world.dealer.takeProblem()].flatMap((problem) => problem ?? []));
  }
  expect(world.troubles).toBe(10);
  expect(said).toEqual([
    'unlucky has met trouble with the server 3 times in a row, and goes on trying: no luck',
  ]);
  await world.until(call);
  expect(world.answers).toEqual({ unlucky: 64 });
  expect(world.dropped).toEqual([]);
});

test('a server that is full is tried each second and told of once, each time that it becomes full', async () => {
  const world = new World({ sound: 1 });
  const said: string[] = [];
  const fill = async (): Promise<void> => {
    world.isFull = true;
    const call = world.ask(requests);
    for (let i = 0; i < 50; i++) {
      await world.pass();
      said.push(...[world.dealer.takeProblem()].flatMap((problem) => problem ?? []));
    }
    world.isFull = false;
    await world.until(call);
  };
  await fill();
  expect(said).toEqual(['The store of the NATS server is full.']);
  await fill();
  expect(said).toHaveLength(2);
  expect(world.answers).toEqual({ sound: 128 });
});

test('beside a generator here a class of new machines is counted on within some calls, and none of them waits for its time to be over', async () => {
  const speeds = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`m${i}`, 0.1]));
  const world = new World(speeds, 1);
  await world.until(world.ask(requests.slice(0, 1), undefined, true));
  expect(world.list.proven).toBe(1);
  for (let i = 0; i < 20; i++) await world.until(world.ask(requests));
  expect(world.list.proven).toBe(60);
  // A chunk that nobody answers is waited for at least five seconds.
  expect(world.now / 1000).toBeLessThan(10);
  expect(world.dropped).toEqual([]);
});

test('beside a generator here the answers of sixteen new machines are looked at in a second', async () => {
  const world = new World({ sound: Infinity }, 1);
  world.ask(requests.slice(0, 1), undefined, true);
  await settled();
  const [{ chunk, nonce }] = world.asked as [Asked];
  for (let i = 0; i < 200; i++) {
    const machine = `invented ${i}`;
    world.list.present({ kind: 'machine', machine, name: machine, computation: '', leaving: false });
    const message: Answer = {
      kind: 'answer',
      run: 'run',
      machine,
      chunk,
      nonce,
      group: 0,
      version: 1,
      computation: '',
      precision: 'f32',
      seconds: 1,
      busySeconds: 1,
      completions: [],
    };
    await world.dealer.answered({ message, signedBy: () => Promise.resolve(true) });
  }
  expect(world.dealer.refusals).toEqual({ unreadable: 0, forged: 0, wrong: 16, unasked: 184 });
});

test('a machine that fails by itself is dropped at the third time in a row, and is given work again once it has left and come back', async () => {
  const world = new World({ weak: 0.1 });
  const call = world.ask(requests);
  const says = (leaving: boolean): boolean =>
    world.list.present({ kind: 'machine', machine: 'weak', name: 'weak', computation: 'weak', leaving });
  for (let i = 0; i < 3; i++) {
    await settled();
    expect(world.dropped).toEqual([]);
    await world.fail('weak', 'machine');
  }
  // What it had taken by then and answers after all would else be waited for until its time is up.
  const before = call.open;
  world.succeed('weak');
  await settled();
  expect(call.open).toBeLessThan(before);
  expect(world.dealer.refusals.unasked).toBe(0);
  expect(world.dropped).toEqual(['weak']);
  expect(world.list.record('weak')?.dropped).toBe('it failed 3 times in a row: no luck');
  // A word that was on its way when it was dropped is no return.
  expect(says(false)).toBe(false);
  expect(world.list.here).toBe(0);
  says(true);
  expect(world.list.mayReturn('weak')).toBe(true);
  expect(says(false)).toBe(true);
  expect(world.list.record('weak')).toMatchObject({ here: true, dropped: null });
  await world.until(call);
  expect(world.answers).toEqual({ weak: 64 });
});

test('a machine whose answers are wrong stays dropped when it comes back', async () => {
  const world = new World({ cheat: 0.5, sound: 0.5 });
  world.wrongAfter = { computation: 'cheat', left: 0 };
  await world.until(world.ask(requests));
  for (const leaving of [true, false])
    world.list.present({ kind: 'machine', machine: 'cheat', name: 'cheat', computation: 'cheat', leaving });
  expect(world.list.mayReturn('cheat')).toBe(false);
  expect(world.list.record('cheat')).toMatchObject({ here: false, dropped: 'it is wrong' });
});
