/** Processor time, which leaves out what else the machine does, and its growth with the length of a text. */

/** Milliseconds that this process has computed so far, all its threads together. */
export function processorMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The least time that is measured; less can't be told from the cost of collecting garbage. */
const LEAST_MILLISECONDS = 1;
/**
 * The bound between linear work, which takes 4 times as long at 4 times the length, and quadratic work, which takes 16
 * times as long.
 */
const MOST_GROWTH = 8;
const TRIES = 12;

function costOf(work: () => unknown): number {
  const before = processorMilliseconds();
  work();
  return processorMilliseconds() - before;
}

/**
 * The processor time of `read` for a text of 4 × `length`, divided by that for a text of `length`; the speed of the
 * machine cancels. The quickest try of each length counts, and tries are added until the answer is that of linear time.
 */
export function growth(
  make: (length: number) => string,
  read: (text: string) => unknown,
  length: number,
): number {
  const [short, long] = [make(length), make(4 * length)];
  let [least, most] = [LEAST_MILLISECONDS, Infinity];
  for (let i = 0; i < TRIES; i++) {
    most = Math.min(
      most,
      costOf(() => read(long)),
    );
    if (most <= MOST_GROWTH * least) break;
    const cost = Math.min(
      costOf(() => read(short)),
      costOf(() => read(short)),
    );
    least = Math.max(LEAST_MILLISECONDS, i === 0 ? cost : Math.min(least, cost));
    if (most <= MOST_GROWTH * least) break;
  }
  return most / least;
}

/** Returns true if the time is linear in the length of the text. */
export const isLinear = (...of: Parameters<typeof growth>): boolean => growth(...of) <= MOST_GROWTH;
