/**
 * The number of groups of a run that will carry a signal, from a few answers to a few problems. A group of G answers to a problem carries
 * none if all earn the same: with p the chance of one of two rewards that is p^G + (1 − p)^G. The spread of p between problems is the
 * Beta-binomial model (for more than two rewards the Dirichlet-multinomial), of which two rewards are a special case.
 */
import { mean } from '@rl-playground/base/statistics';
import { drawsFor, normal, pickWeighted, type Draw } from '@rl-playground/base/random';

export interface GroupOutlook {
  /** Expected share of groups whose rewards differ. */
  readonly mixed: number;
  /** 95 % of the share that `groups` groups will have. */
  readonly interval: { readonly low: number; readonly high: number };
}

/** The likeness of the problems: the sum of the Dirichlet's parameters, small if a problem is always or never solved. */
const CONCENTRATIONS = Array.from({ length: 17 }, (_, i) => 0.05 * 10 ** (i / 4));
const DRAWS = 1000;
const STREAM = 0x9f17;

/** log of x (x + 1) … (x + n − 1) */
function logRising(x: number, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Math.log(x + i);
  return sum;
}

/** log-likelihood of the answers' rewards, by class, of each problem. */
function logLikelihood(
  countsPK: readonly (readonly number[])[],
  shares: readonly number[],
  s: number,
): number {
  let sum = 0;
  for (const counts of countsPK) {
    sum -= logRising(
      s,
      counts.reduce((all, count) => all + count, 0),
    );
    for (const [k, count] of counts.entries()) sum += logRising(s * (shares[k] ?? 0), count);
  }
  return sum;
}

/** Chance that G draws of one problem are all of one class. */
export function constantChance(shares: readonly number[], s: number, groupSize: number): number {
  const whole = logRising(s, groupSize);
  return shares.reduce((sum, share) => sum + Math.exp(logRising(s * share, groupSize) - whole), 0);
}

/** Marsaglia and Tsang 2000; below 1 by the boost of a draw of shape + 1. */
function gamma(draw: Draw, shape: number): number {
  if (shape < 1) return gamma(draw, shape + 1) * (1 - draw()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(draw);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - draw()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

function dirichlet(draw: Draw, parameters: readonly number[]): number[] {
  const drawn = parameters.map((parameter) => gamma(draw, parameter));
  const sum = drawn.reduce((all, each) => all + each, 0);
  // Where all underflow, the weight is on one.
  if (sum === 0) return parameters.map((_, k) => Number(k === 0));
  return drawn.map((each) => each / sum);
}

/** Rewards that differ by less are the same. */
const classOf = (reward: number): number => Math.round(reward * 1e6);

/**
 * Expects the share of mixed groups from the rewards of N answers to each of P problems. `groupSize` is G, and `groups` is the number that
 * the share will be over. The parameters are drawn from what the answers leave possible: the concentration from its likelihood on a grid,
 * the shares of the rewards from a Dirichlet whose count is that of independent answers, N answers to one problem being fewer than N.
 */
export function groupOutlook(
  rewardsPN: readonly (readonly number[])[],
  groupSize: number,
  groups: number,
): GroupOutlook {
  const classes = [...new Set(rewardsPN.flat().map(classOf))];
  // One more for a reward that was not seen.
  const countsPK = rewardsPN.map((rewards) => [
    ...classes.map((each) => rewards.filter((reward) => classOf(reward) === each).length),
    0,
  ]);
  const kinds = classes.length + 1;
  const total = rewardsPN.flat().length;
  const prior = kinds === 2 ? 0.5 : 1 / kinds;
  const counts = Array.from({ length: kinds }, (_, k) =>
    countsPK.reduce((sum, each) => sum + (each[k] ?? 0), 0),
  );
  const pooled = counts.map((count) => (count + prior) / (total + kinds * prior));
  const logs = CONCENTRATIONS.map((s) => logLikelihood(countsPK, pooled, s));
  const top = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - top));
  const draw = drawsFor(STREAM, total, kinds);
  const perProblem = total / Math.max(1, rewardsPN.length);
  const shares: number[] = [];
  const expected: number[] = [];
  for (let i = 0; i < DRAWS; i++) {
    const s = CONCENTRATIONS[pickWeighted(draw, weights)] ?? 1;
    const independent = total / (1 + (perProblem - 1) / (1 + s));
    const m = dirichlet(
      draw,
      counts.map((count) => (independent * count) / Math.max(1, total) + prior),
    );
    const mixed = 1 - constantChance(m, s, groupSize);
    expected.push(mixed);
    let carrying = 0;
    for (let g = 0; g < groups; g++) carrying += Number(draw() < mixed);
    shares.push(carrying / Math.max(1, groups));
  }
  shares.sort((a, b) => a - b);
  const at = (share: number): number => shares[Math.round(share * (DRAWS - 1))] ?? 0;
  return { mixed: mean(expected), interval: { low: at(0.025), high: at(0.975) } };
}
