/** The runs of a sweep by machines that join it, and by this one beside them where that is asked for. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { startBackendInNode } from '../../src/backend/startInNode.ts';
import type { ServerAddress } from '../../src/machines/addresses.ts';
import { computationOf } from '../../src/machines/computation.ts';
import { connectInNode } from '../../src/machines/connectInNode.ts';
import { keyOf, newKey, seedOf, type KeyPair } from '../../src/machines/frames.ts';
import { SweepChannel } from '../../src/machines/sweepChannel.ts';
import { Runner } from '../../src/machines/sweepWork.ts';
import { writing } from '../durableFiles.ts';
import type { PlannedRun } from './grid.ts';
import { makeAskedRun, unpackRun } from './runParcel.ts';
import type { SweepFolder } from './sweepFolder.ts';

/** The key by which machines and the server's queues know the sweep; whoever has it can speak for it. */
const KEY_FILE = 'sweep.key';

function keyIn(folder: string): KeyPair {
  const path = join(folder, KEY_FILE);
  if (existsSync(path)) return keyOf(readFileSync(path, 'utf8').trim());
  const key = newKey();
  writing(path, () => writeFileSync(path, `${seedOf(key)}\n`, { mode: 0o600, flush: true }));
  return key;
}

export interface JoinedRunsParts {
  readonly address: ServerAddress;
  readonly folder: SweepFolder;
  readonly runs: readonly PlannedRun[];
  /** Runs that this machine makes at a time. */
  readonly jobs: number;
  readonly onEnded: (name: string, machine: string, error: string | null) => void;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Resolves when every run has ended, rejects with the signal's reason where it says so. */
export async function makeJoinedRuns(parts: JoinedRunsParts): Promise<void> {
  const { address, folder, runs, jobs, onEnded, say, signal } = parts;
  const left = new Set(folder.open.map(({ name }) => name));
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const channel = await SweepChannel.open({
    connection: await connectInNode(address, 'sweep'),
    key: keyIn(folder.path),
    name: folder.path,
    runs,
    isDone: (run) => folder.isDone(runs[run]?.name ?? ''),
    async onResult({ run, machineName, error }, zip) {
      const planned = runs[run];
      if (planned === undefined) return;
      const { name, config } = planned;
      if (zip) {
        await unpackRun(zip, folder.draft(name), config);
        folder.ended(name, machineName);
      } else folder.failed(name, error ?? 'It failed.', machineName);
      left.delete(name);
      onEnded(name, machineName, error);
      if (left.size === 0) finish();
    },
    onTrouble: say,
  });
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  const own = new AbortController();
  const here = await Promise.all(
    Array.from({ length: jobs }, (_, i) => runHere(address, `${hostname()} ${i + 1}`, say, own.signal)),
  );
  try {
    await Promise.race([finished, stopped]);
  } finally {
    own.abort();
    await Promise.all(here.map(({ ended }) => ended));
    await channel.close();
  }
}

async function runHere(
  address: ServerAddress,
  name: string,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<void> }> {
  const connection = await connectInNode(address, name);
  const { line } = await startBackendInNode();
  const runner = new Runner({
    connection,
    name,
    computation: computationOf(line),
    make: makeAskedRun,
    onNews: (news) => news.kind === 'trouble' && say(news.text),
  });
  const serve = async (): Promise<void> => {
    await runner.serve(signal);
    await connection.close();
  };
  return { ended: serve() };
}

/** For a sentence: where machines are to come. Without the token, since what is printed ends in logs. */
export const joinCommand = ({ url, token }: ServerAddress): string =>
  `npm run generator -- --runs --join ${token === null ? url : url.replace('//', '//TOKEN@')}`;
