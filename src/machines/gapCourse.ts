/** The differences between a machine's log-probabilities and the trainer's, for each version of the weights. A chart shows them. */

export interface GapPoint {
  /** The version of the weights; the newest of several if they were put together. */
  readonly version: number;
  readonly tokens: number;
  /** |Δ log p| over their tokens, in nats. */
  readonly largest: number;
  readonly mean: number;
}

/** The most points that are kept of a machine. Neighbours are put together when there are more. */
export const MOST_POINTS = 256;

const joined = (one: GapPoint, other: GapPoint): GapPoint => {
  const tokens = one.tokens + other.tokens;
  return {
    version: Math.max(one.version, other.version),
    tokens,
    largest: Math.max(one.largest, other.largest),
    mean: (one.mean * one.tokens + other.mean * other.tokens) / tokens,
  };
};

/** The course with one more answer. Answers to older weights count with the newest. */
export function withGap(course: readonly GapPoint[], answer: GapPoint): readonly GapPoint[] {
  const last = course.at(-1);
  const longer =
    last !== undefined && answer.version <= last.version
      ? [...course.slice(0, -1), joined(last, answer)]
      : [...course, answer];
  if (longer.length <= MOST_POINTS) return longer;
  return longer.flatMap((point, i) => {
    if (i % 2 === 1) return [];
    const next = longer[i + 1];
    return [next === undefined ? point : joined(point, next)];
  });
}
