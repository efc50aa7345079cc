/** A program as a child process that ends when it is told to, with all that it has started. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { processesBelow } from '@rl-playground/run/disk';
import { repository } from '../../src/cli/tools.ts';

const GRACE = 3000;
/** Characters of standard error that are kept for the message of a failure. */
const KEPT = 4000;

export interface ChildWork {
  readonly signal: AbortSignal;
  /** Takes each line of standard output, until `signal` aborts: a program that is ended tells of failures that are none. */
  readonly onLine: (line: string) => void;
  readonly environment?: Readonly<Record<string, string>>;
  /** The program; the present Node by default. */
  readonly program?: string;
  /** Milliseconds from the request to end, on which a program closes its browser, to the end by force; by default 3000. */
  readonly grace?: number;
}

/** Linux alone tells what else a process has started. Elsewhere the program itself must close its browser. */
const pidsBelow = (pid: number): number[] =>
  process.platform === 'linux' ? processesBelow(pid).map((found) => found.pid) : [pid];

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/**
 * Runs a program in the repository’s folder until it ends or `signal` aborts. Standard error is kept for the message of a failure.
 *
 * @throws Error with its last words if it ends by itself with another code than 0.
 */
export async function runChild(words: readonly string[], work: ChildWork): Promise<void> {
  const { signal, onLine, environment = {}, program = process.execPath, grace = GRACE } = work;
  if (signal.aborted) return;
  const child = spawn(program, words, {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let lastWords = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-KEPT);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  let force = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    const { pid } = child;
    if (pid === undefined) return;
    // Its browser’s processes have no parent any more once it has ended, so they are looked up before.
    const pids = pidsBelow(pid);
    force = () => killAll(pids);
    child.kill('SIGTERM');
    timer = setTimeout(force, grace);
  };
  signal.addEventListener('abort', end);
  try {
    const [code] = await Promise.all([
      ended,
      readLines(child.stdout, (line) => signal.aborted || onLine(line)),
    ]);
    if (code !== 0 && !signal.aborted)
      throw new Error(`${words.join(' ')} ended with ${code ?? 'a signal'}: ${lastWords.trim()}`);
  } finally {
    signal.removeEventListener('abort', end);
    clearTimeout(timer);
    force();
  }
}

async function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => unknown): Promise<void> {
  for await (const line of createInterface({ input: stream })) onLine(line);
}
