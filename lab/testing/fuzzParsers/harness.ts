/** Runs readers of files on hostile ones, and finds wrong errors, long times and large memory. */
import { drawsFor } from '@rl-playground/base/random';
import { processorMilliseconds } from '@rl-playground/base/testing/processorTime';
import type { Draw } from './mutate.ts';

/** The limits of one input: milliseconds of computing, and bytes that the process grows by. */
export const LONGEST_PARSE = 1000;
export const MOST_MEMORY = 512 * 2 ** 20;

export interface ParserTarget {
  readonly name: string;
  /** The number of inputs, out of some thousand, that this one gets: readers that take milliseconds get fewer. */
  readonly share: number;
  make(draw: Draw): unknown;
  /** Reads what was made. Returns whether it could be used. Throws where it was not refused as it should be. */
  read(input: never): Promise<boolean> | boolean;
}

export interface ParserResult {
  readonly name: string;
  readonly inputs: number;
  /** The number of inputs that could be used all the same. */
  readonly used: number;
  readonly faults: readonly string[];
  /** The milliseconds of the slowest input. */
  readonly worst: number;
  readonly worstIndex: number;
}

const STREAM = 0xf23;
/** The most characters of a refusal that a person still reads. */
const LONGEST_REFUSAL = 2000;

/**
 * Does the work, and returns true if it was done. A sentence in a plain Error is a refusal; errors of the language's own kinds, and a
 * text that nobody would read, are thrown on.
 */
export async function refusedInWords(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Error) || error.constructor !== Error) throw error;
    if (error.message.length <= LONGEST_REFUSAL) return false;
    throw new RangeError(`A refusal of ${error.message.length} characters`, { cause: error });
  }
}

function shown(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const where = error.stack
    ?.split('\n')
    .find((line) => line.includes('/src/') && !line.includes('fuzzParsers'));
  return `${error.name}: ${error.message.slice(0, 200)}${where === undefined ? '' : ` (${where.trim().slice(0, 200)})`}`;
}

/** The clocks that milliseconds are read from. */
export interface Clocks {
  readonly now: () => number;
  /** Returns the milliseconds of computing alone. */
  readonly busy: () => number;
}

const CLOCKS: Clocks = { now: () => performance.now(), busy: processorMilliseconds };

/** Milliseconds of computing: the least of two more tries, and not the wait for others on the machine. */
async function timeAgain(
  target: ParserTarget,
  seed: number,
  index: number,
  { busy }: Clocks,
): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 2; i++) {
    const input = target.make(drawsFor(STREAM, seed, index)) as never;
    const before = busy();
    try {
      await target.read(input);
    } catch {
      // It was noted the first time.
    }
    times.push(busy() - before);
  }
  return Math.min(...times);
}

/** Inputs `first` … `first` + `count` − 1 of a seed; at most 10 faults are described. */
export async function fuzzParser(
  target: ParserTarget,
  count: number,
  seed: number,
  first = 0,
  longest = LONGEST_PARSE,
  clocks = CLOCKS,
): Promise<ParserResult> {
  const faults: string[] = [];
  let [used, worst, worstIndex] = [0, 0, 0];
  const note = (index: number, what: string): void => {
    if (faults.length < 10) faults.push(`${target.name}, seed ${seed}, input ${index}: ${what}`);
  };
  for (let index = first; index < first + count; index++) {
    const input = target.make(drawsFor(STREAM, seed, index)) as never;
    const resident = process.memoryUsage.rss();
    const peak = process.resourceUsage().maxRSS;
    const start = clocks.now();
    try {
      if (await target.read(input)) used++;
    } catch (error) {
      note(index, `throws ${shown(error)}`);
    }
    let time = clocks.now() - start;
    const grown = process.resourceUsage().maxRSS;
    if (grown > peak && grown * 1024 - resident > MOST_MEMORY)
      note(index, `takes ${Math.round((grown * 1024 - resident) / 2 ** 20)} MB`);
    if (time <= worst) continue;
    if (time > longest / 2) time = Math.min(time, await timeAgain(target, seed, index, clocks));
    if (time <= worst) continue;
    [worst, worstIndex] = [time, index];
    if (worst > longest) note(index, `takes ${worst.toFixed(0)} ms`);
  }
  return { name: target.name, inputs: count, used, faults, worst, worstIndex };
}

/** The number of `total` inputs that each target gets. */
export function sharesOf(targets: readonly ParserTarget[], total: number): readonly number[] {
  const sum = targets.reduce((all, { share }) => all + share, 0);
  return targets.map(({ share }) => Math.ceil((total * share) / sum));
}
