/** Makes a run in a process of its own (`src/cli/sweepRun.ts`), so that runs share no memory and one that breaks ends no other. */
import { spawn } from 'node:child_process';
import type { RunConfig } from '@rl-playground/run/settings';
import type { DataWords } from './dataWords.ts';
import type { HubWords } from './hubOptions.ts';
import { programFolder, programWords } from './places.ts';

/** The file in a run directory of a sweep with the object of `train --json`. */
export const RECORD_FILE = 'record.json';

export interface RunOrder {
  readonly config: RunConfig;
  /** The file that names the model, for people. */
  readonly modelFile: string;
  /** The run directory to write. */
  readonly folder: string;
  /** The number of steps between two lines. */
  readonly every: number;
  readonly words: DataWords & HubWords;
}

export type RunNews =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string };

export interface RunParts {
  /** Receives lines about events. */
  readonly say: (text: string) => void;
  /** Ends the process. */
  readonly signal: AbortSignal;
}

/** Resolves when the run directory is whole. @throws Error if the run fails, and the signal's reason. */
export async function runInProcess(order: RunOrder, { say, signal }: RunParts): Promise<void> {
  signal.throwIfAborted();
  // A Ctrl-C of the terminal is for the parent, which ends its runs in order.
  const child = spawn(process.execPath, programWords('sweepRun'), {
    cwd: programFolder,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
    serialization: 'advanced',
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
  const end: { news: Exclude<RunNews, { kind: 'line' }> | null } = { news: null };
  child.on('message', (news: RunNews) => {
    if (news.kind === 'line') say(news.text);
    else end.news = news;
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
      child.send(order, (error) => error && reject(error));
    });
    signal.throwIfAborted();
    if (end.news?.kind === 'done') return;
    const last = said.trim().split('\n').at(-1);
    const message =
      end.news?.message ??
      (last === undefined || last === '' ? `Its process ended with code ${code}.` : last);
    throw new Error(message);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}

/** Resolves when all is done; once one fails nothing more begins, and it rejects with that when those under way have ended. */
export async function sideBySide<Item>(
  items: Iterable<Item>,
  jobs: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = left.next();
      if (next.done === true) return;
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  if (failures.length > 0) throw failures[0];
}
