/** Time that does not count what else the machine has to do, and how it grows with the length of what is read. */

/** Milliseconds that this process has computed so far, all its threads together. */
export function processorMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Too little to tell from what collecting garbage costs. */
const LEAST_MILLISECONDS = 1;
/** What is linear takes 4 times as long at 4 times the length, what is quadratic 16 times. */
const MOST_GROWTH = 8;
const TRIES = 12;

function costOf(work: () => unknown): number {
  const before = processorMilliseconds();
  work();
  return processorMilliseconds() - before;
}

/**
 * How many times as much processor time `read` takes for a text of 4 × `length` as for one of `length`; the speed of the machine cancels.
 * Of each the quickest try counts, and there are more of them until the answer is that of linear time.
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

/** Whether it takes time linear in the length of the text. */
export const isLinear = (...of: Parameters<typeof growth>): boolean => growth(...of) <= MOST_GROWTH;
