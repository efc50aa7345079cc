/** Runs readers of files on hostile ones: what they throw that is no error of theirs, what takes too long or too much memory. */
import { drawsFor } from '@rl-playground/base/random';
import { processorMilliseconds } from '@rl-playground/base/testing/processorTime';
import type { Draw } from './mutate.ts';

/** Of one input: milliseconds of computing, and bytes that the process grows by. */
export const LONGEST_PARSE = 1000;
export const MOST_MEMORY = 512 * 2 ** 20;

export interface ParserTarget {
  readonly name: string;
  /** Out of how many thousand inputs this one gets: readers that take milliseconds get fewer. */
  readonly share: number;
  make(draw: Draw): unknown;
  /** Reads what was made. Returns whether it could be used. Throws where it was not refused as it should be. */
  read(input: never): Promise<boolean> | boolean;
}

export interface ParserResult {
  readonly name: string;
  readonly inputs: number;
  /** That could be used all the same. */
  readonly used: number;
  readonly faults: readonly string[];
  /** Milliseconds of the slowest. */
  readonly worst: number;
  readonly worstIndex: number;
}

const STREAM = 0xf23;
/** Characters of a refusal that somebody still reads. */
const LONGEST_REFUSAL = 2000;

/**
 * Whether work was done. A sentence in a plain Error is a refusal; errors of the language's own kinds, and a text that nobody would read,
 * are thrown on.
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

/** What milliseconds are read off. */
export interface Clocks {
  readonly now: () => number;
  /** Of computing alone. */
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

/** How many of `total` inputs each target gets. */
export function sharesOf(targets: readonly ParserTarget[], total: number): readonly number[] {
  const sum = targets.reduce((all, { share }) => all + share, 0);
  return targets.map(({ share }) => Math.ceil((total * share) / sum));
}
