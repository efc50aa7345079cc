/** Timed repeats of the work of a benchmark. */

export interface Pace {
  /** Repeats that count, at most. */
  readonly repeats: number;
  /** The seconds after which no other repeat begins, the uncounted first one included. */
  readonly seconds: number;
}

/** The sentence where a run is under way, or begins while something is timed. */
export const BUSY = 'A run is under way. Pause or stop it before measuring: each would slow down the other.';

/** Runs a piece of work, which may have to wait for its turn. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns the seconds of each repeat of `work`. The first run compiles and is not counted, unless it alone took all of the time. `now`
 * is in milliseconds.
 */
export async function secondsOf(
  work: () => Promise<void>,
  { repeats, seconds }: Pace,
  inTurn: InTurn,
  now: () => number,
): Promise<readonly number[]> {
  const once = (): Promise<number> =>
    inTurn(async () => {
      const began = now();
      await work();
      return (now() - began) / 1000;
    });
  const counted: number[] = [];
  let spent = await once();
  while (counted.length < repeats && spent < seconds) {
    const taken = await once();
    counted.push(taken);
    spent += taken;
  }
  return counted.length === 0 ? [spent] : counted;
}
