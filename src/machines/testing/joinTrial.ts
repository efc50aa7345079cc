/** A short run with and without machines that join it, for the tests of joining and their longer proofs. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { NatsConnection } from '@nats-io/nats-core';
import type { RunConfig } from '@rl-playground/run/settings';
import { addressWithToken, type ServerAddress } from '../addresses.ts';
import { computationOf } from '@rl-playground/run/environment/computation';
import { connectInNode } from '../connectInNode.ts';
import type { HubAccess } from '../hubBase.ts';
import type { InspectorOptions } from '../inspector.ts';
import { Machine, type MachineEvent } from '../machine.ts';
import type { MachineRecord } from '../machineList.ts';
import type { MachineNews, MachinePool } from '../machinePool.ts';
import { RunChannel } from '../runChannel.ts';
import type { BaseTakingPool, EngineEnvironment } from '@rl-playground/engine/parts';
import { FrozenBase, createLocalPool, LOCAL_ENVIRONMENT } from '@rl-playground/engine/parts/tensors';
import { MACHINE_KEYS, type StepMetrics } from '@rl-playground/run/metrics';
import { joinedEnvironment } from '../joinedEnvironment.ts';
import { promptsInWords } from '@rl-playground/run/data';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** Starts `npx rl-playground generator` in a process of its own. `say` receives its output. */
export function startGenerator(
  address: ServerAddress,
  name: string,
  say: (text: string) => void = () => undefined,
  more: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const words = [
    `${repository}src/cli/run.mjs`,
    'generator',
    '--join',
    addressWithToken(address),
    '--name',
    name,
    ...more,
  ];
  const child = spawn(process.execPath, words, {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say);
  return child;
}

/** The pool with another `generate`. */
export const changedPool = (pool: BaseTakingPool, generate: BaseTakingPool['generate']): BaseTakingPool => ({
  ...pool,
  setWeights: (...words) => pool.setWeights(...words),
  generate,
  dispose: () => pool.dispose(),
});

export interface MachineHereOptions {
  /** Makes it answer wrongly. */
  readonly bend?: (pool: BaseTakingPool) => BaseTakingPool;
  readonly computation?: string;
  readonly awayFor?: number;
  readonly hub?: HubAccess | undefined;
  readonly onNews?: (news: MachineEvent) => void;
}

/** A machine in this process, with the parts that `npx rl-playground generator` gives its own. */
export function machineHere(
  connection: NatsConnection,
  name: string,
  {
    bend = (pool) => pool,
    computation = computationOf(''),
    awayFor,
    hub,
    onNews = () => undefined,
  }: MachineHereOptions = {},
): { readonly stop: () => Promise<void> } {
  const stop = new AbortController();
  const machine = new Machine({
    connection,
    name,
    runName: null,
    engineFor: () => ({
      computation,
      createPool: ({ model, precision }) => bend(createLocalPool(model, precision)),
    }),
    placeBase: ({ config, frozen = {} }, source) => FrozenBase.copied(config, frozen, source),
    hub,
    onNews,
    ...(awayFor !== undefined && { awayFor }),
  });
  const served = machine.serve(stop.signal);
  return {
    async stop() {
      stop.abort();
      await served;
    },
  };
}

/** The result of a run, without the numbers that the machine decides. */
export interface Outcome {
  /** A line of JSON for each step and evaluation. */
  readonly metrics: readonly string[];
  /** SHA-256 of all weights. */
  readonly weights: string;
  /** The unchanged steps. */
  readonly steps: readonly StepMetrics[];
  readonly seconds: number;
}

export interface JoinedOutcome extends Outcome {
  readonly machines: MachinePool['machines'];
  readonly refusals: MachinePool['refusals'];
  readonly checkingSeconds: number;
  readonly news: readonly MachineNews[];
}

/** The machines of a run, for a test that waits for their actions. */
export class MachinesSeen {
  readonly #waiting = new Set<{
    readonly holds: (machines: readonly MachineRecord[]) => boolean;
    readonly resolve: () => void;
  }>();
  #machines: readonly MachineRecord[] = [];

  /** Resolves as soon as this holds for them. */
  until(holds: (machines: readonly MachineRecord[]) => boolean): Promise<void> {
    if (holds(this.#machines)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ holds, resolve }));
  }

  /** Takes the present machines. */
  look(machines: readonly MachineRecord[]): void {
    this.#machines = machines;
    for (const each of this.#waiting)
      if (each.holds(machines)) {
        this.#waiting.delete(each);
        each.resolve();
      }
  }
}

export const hasAnswered =
  (name: string) =>
  (machines: readonly MachineRecord[]): boolean =>
    machines.some((machine) => machine.name === name && machine.groups > 0);

export const isHere =
  (...names: readonly string[]) =>
  (machines: readonly MachineRecord[]): boolean =>
    names.every((name) => machines.some((each) => each.name === name && each.here));

const TIMELESS = new Set<string>([...MACHINE_KEYS, 'seconds']);

const line = (record: object): string =>
  JSON.stringify(record, (key, value: unknown) => (TIMELESS.has(key) ? undefined : value));

async function outcomeOf(
  config: RunConfig,
  environment: EngineEnvironment,
  onStep: (step: number) => Promise<void> | void,
  hubUrl: string | undefined,
): Promise<Outcome> {
  const began = performance.now();
  const model = await loadModelNamed(config.model, hubUrl === undefined ? {} : { hubUrl });
  const session = await Session.open(config, freshStart(model), environment);
  try {
    while (session.inSft) await session.sftStep();
    await session.evaluate({});
    while (session.step < config.numSteps) {
      await session.trainStep({});
      await onStep(session.step);
    }
    await session.evaluate({});
    const { trained } = await session.engine.saveState();
    return {
      metrics: [...session.evaluations, ...session.metrics].map(line),
      steps: session.metrics,
      weights: createHash('sha256').update(new Uint8Array(trained.buffer)).digest('hex'),
      seconds: (performance.now() - began) / 1000,
    };
  } finally {
    session.dispose();
  }
}

/** Runs without machines. `hubUrl` is the server of its model, if that is one of a hub. */
export const runAlone = (config: RunConfig, hubUrl?: string): Promise<Outcome> =>
  outcomeOf(config, LOCAL_ENVIRONMENT, () => undefined, hubUrl);

export interface JoinedOptions {
  /** True if the run has a generator of its own; false by default. */
  readonly local?: boolean;
  readonly onStep?: (step: number) => Promise<void> | void;
  readonly inspection?: Partial<InspectorOptions>;
  readonly name?: string;
  /** The milliseconds after which it reports that no machine is there. */
  readonly lonelyAfter?: number;
  readonly onNews?: (news: MachineNews) => void;
  readonly seen?: MachinesSeen;
  /** The run calls it when a request goes out, before the server has it. */
  readonly onAsk?: () => void;
  /** The server of its model, if that is one of a hub. */
  readonly hubUrl?: string;
}

/** Runs with the answers of machines that join at `address`. */
export async function runJoined(
  config: RunConfig,
  address: ServerAddress,
  {
    local = false,
    onStep = () => undefined,
    inspection,
    name = config.task,
    lonelyAfter,
    onNews = () => undefined,
    seen,
    onAsk = () => undefined,
    hubUrl,
  }: JoinedOptions = {},
): Promise<JoinedOutcome> {
  const connection = await connectInNode(address, 'trainer');
  const channel = await RunChannel.open(connection, {
    name,
    about: promptsInWords(config.task),
    computation: computationOf(''),
  });
  const ask = channel.ask.bind(channel);
  channel.ask = (request) => {
    onAsk();
    return ask(request);
  };
  const news: MachineNews[] = [];
  const made: { pool: MachinePool | null } = { pool: null };
  try {
    const outcome = await outcomeOf(
      config,
      joinedEnvironment(LOCAL_ENVIRONMENT, {
        channel,
        local,
        inspection,
        lonelyAfter,
        onNews(each, pool) {
          made.pool = pool;
          seen?.look(pool.machines);
          if (each.kind === 'changed') return;
          news.push(each);
          onNews(each);
        },
      }),
      onStep,
      hubUrl,
    );
    return {
      ...outcome,
      machines: made.pool?.machines ?? [],
      checkingSeconds: made.pool?.checkingSeconds ?? 0,
      refusals: made.pool?.refusals ?? { unreadable: 0, unasked: 0, forged: 0, wrong: 0 },
      news,
    };
  } finally {
    await channel.close();
  }
}
