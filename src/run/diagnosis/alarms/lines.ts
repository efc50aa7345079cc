/**
 * The lines beyond which a diagnosis holds. Each was set between what healthy and what failing runs of seeds 0 and 1 show
 * (`npm run lab -- watch --lines --seeds 0-1`), and judged on other seeds (lab/notes/watch.md).
 */

/** Standard errors that a fall or a rise must exceed. */
export const SIGMAS = 4;
/** So many suffice beside a second sign of the same trouble. */
export const SIGMAS_WITH_SIGN = 3;
/** So many suffice if the reward rises and accuracy falls at once, which luck does not do. */
export const SIGMAS_APART = 2.5;
/** Nats that KL to the start rises in four steps where a learning rate ruins a run. */
export const KL_JUMP = 0.4;
/** Nats of KL to the start below which some steps have moved nothing. */
export const KL_IDLE = 1e-4;
/** Steps before a run without movement is called idle: a warm-up of the rate is over. */
export const IDLE_STEPS = 8;
/** Steps before groups that are all equal say more than bad luck. */
export const EQUAL_STEPS = 4;
/** Share of mixed groups below which nothing is learned from comparing. */
export const LITTLE_SIGNAL = 0.05;
/** Answers a step in mixed groups below which a step is a coin's toss, in small groups. */
export const FEW_MIXED = 12;
/** The largest group that counts as small. */
export const SMALL_GROUP = 3;
/** Share of answers that is right, from which on equal groups are success. */
export const MASTERED = 0.9;
/** Nats of entropy below which answers are all the same. */
export const NO_ENTROPY = 0.01;
/** Nats of entropy that only a high temperature gives. */
export const MUCH_ENTROPY = 1;
/** Share of answers at the token limit. */
export const MOST_CUT = 0.5;
/** Times the first gradient, where the KL term makes the most of it. */
export const GRADIENT_TIMES = 3;
/** Times the standard deviation that the mean reward may be away from 0 where nothing is subtracted from it. */
export const REWARD_OFFSET = 2;
/** A smaller fall of the format rate is drift. */
export const FORMAT_FALL = 0.15;
/** Correlation over steps, where the reward goes with something. */
export const GOES_WITH = 0.8;
/** Share of the right answers whose working is wrong. */
export const MOST_GUESSED = 0.5;
/** Nats of KL to the sampler in the later updates of a step. */
export const KL_LATER = 0.05;
