/** A short run with and without machines that join it, for the tests of joining and for their longer proofs. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { RunConfig } from '../src/config/schema.ts';
import { addressWithToken, type ServerAddress } from '../src/machines/addresses.ts';
import { computationOf } from '../src/machines/computation.ts';
import { connectInNode } from '../src/machines/connectInNode.ts';
import type { InspectorOptions } from '../src/machines/inspector.ts';
import type { MachineNews, MachinePool } from '../src/machines/machinePool.ts';
import { RunChannel } from '../src/machines/runChannel.ts';
import { MACHINE_KEYS } from '../src/rl/metrics/index.ts';
import { joinedEnvironment } from '../src/run/engine/joinedEnvironment.ts';
import { LOCAL_ENVIRONMENT } from '../src/run/localEnvironment.ts';
import { promptsInWords } from '../src/run/promptsInWords.ts';
import { loadModelNamed } from '../src/run/models/modelsInNode.ts';
import { freshStart, Session, type SessionEnvironment } from '../src/run/session.ts';
import { findNatsServer, HOW_TO_INSTALL } from './natsServer.ts';
import { repository } from './tools.ts';

/** Whether tests that need a nats-server have to be left out, which `npm test` says. @throws where REQUIRE_NATS=1 (set by `.ci/run`) forbids it. */
export function lacksServer(): boolean {
  if (findNatsServer() !== null) return false;
  if (process.env['REQUIRE_NATS'] === '1') throw new Error(HOW_TO_INSTALL);
  return true;
}

/** A port that nobody listens at just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** `npm run generator` in a process of its own. Its words come to `say`. */
export function startGenerator(
  address: ServerAddress,
  name: string,
  say: (text: string) => void = () => undefined,
): ChildProcess {
  const words = [
    join(repository, 'cli/run.mjs'),
    'generator',
    '--join',
    addressWithToken(address),
    '--name',
    name,
  ];
  const child = spawn(process.execPath, words, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say);
  return child;
}

/** What a run comes to, without what the machine decides. */
export interface Outcome {
  /** A line of JSON for each step and evaluation. */
  readonly metrics: readonly string[];
  /** SHA-256 of all weights. */
  readonly weights: string;
  readonly seconds: number;
}

export interface JoinedOutcome extends Outcome {
  readonly machines: MachinePool['machines'];
  readonly refusals: MachinePool['refusals'];
  readonly news: readonly MachineNews[];
}

const TIMELESS = new Set<string>([...MACHINE_KEYS, 'seconds']);

const line = (record: object): string =>
  JSON.stringify(record, (key, value: unknown) => (TIMELESS.has(key) ? undefined : value));

async function outcomeOf(
  config: RunConfig,
  environment: SessionEnvironment,
  onStep: (step: number) => Promise<void> | void,
): Promise<Outcome> {
  const began = performance.now();
  const session = await Session.open(config, freshStart(await loadModelNamed(config.model)), environment);
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
      weights: createHash('sha256').update(new Uint8Array(trained.buffer)).digest('hex'),
      seconds: (performance.now() - began) / 1000,
    };
  } finally {
    session.dispose();
  }
}

export const runAlone = (config: RunConfig): Promise<Outcome> =>
  outcomeOf(config, LOCAL_ENVIRONMENT, () => undefined);

export interface JoinedOptions {
  /** Whether the run has a generator of its own; false where it is left out. */
  readonly local?: boolean;
  readonly onStep?: (step: number) => Promise<void> | void;
  readonly inspection?: Partial<InspectorOptions>;
  readonly name?: string;
}

/** The same run, whose answers are given by whoever joins at `address`. */
export async function runJoined(
  config: RunConfig,
  address: ServerAddress,
  { local = false, onStep = () => undefined, inspection, name = config.task }: JoinedOptions = {},
): Promise<JoinedOutcome> {
  const connection = await connectInNode(address, 'trainer');
  const channel = await RunChannel.open(connection, {
    name,
    about: promptsInWords(config.task),
    computation: computationOf(''),
  });
  const news: MachineNews[] = [];
  const made: { pool: MachinePool | null } = { pool: null };
  try {
    const outcome = await outcomeOf(
      config,
      joinedEnvironment(LOCAL_ENVIRONMENT, {
        channel,
        local,
        inspection,
        onNews(each, pool) {
          made.pool = pool;
          if (each.kind !== 'changed') news.push(each);
        },
      }),
      onStep,
    );
    return {
      ...outcome,
      machines: made.pool?.machines ?? [],
      refusals: made.pool?.refusals ?? { unasked: 0, forged: 0, wrong: 0 },
      news,
    };
  } finally {
    await channel.close();
  }
}
