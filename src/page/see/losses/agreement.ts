/** Where two losses agree on a token and where they part, in numbers and in words. */
import type { CurvePoint } from '@rl-playground/run/inspect/terms';
import { plural } from '@rl-playground/base/text';
import { compact, fixed } from '../../ui/text/format.ts';

/** One of two losses that are compared. */
export interface Side {
  readonly name: string;
  /** ℓ in symbols. */
  readonly formula: string;
  /** g = −dℓ/d log p at each token of the answer. */
  readonly coefficients: readonly number[];
  /** The weight of a token in the step's loss, and the reduction that it comes from. */
  readonly weight: number;
  readonly reduction: string;
  /** The reduction of its own paper or system. */
  readonly ownReduction: string;
}

export interface TokenState {
  /** ρ = p / p_old. */
  readonly ratio: number;
  readonly advantage: number;
}

/** Two values that a person sees as one: f32 rounds, and a ratio of 1 is off by rounding too. */
const TOLERANCE = 2e-3;

export function agree(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b)) + 1e-9;
}

/** The tokens at which two losses push with different strength. */
export function partings(a: Side, b: Side): number[] {
  return a.coefficients.flatMap((each, t) => (agree(each, b.coefficients[t] ?? NaN) ? [] : [t]));
}

/** The ranges of the ratio over which two curves agree, of points that follow each other. */
export function agreeingRanges(
  a: readonly CurvePoint[],
  b: readonly CurvePoint[],
): [low: number, high: number][] {
  const ranges: [number, number][] = [];
  let inside = false;
  for (const [i, { ratio, coefficient }] of a.entries()) {
    const same = agree(coefficient, b[i]?.coefficient ?? NaN);
    const last = ranges.at(-1);
    if (same && inside && last) last[1] = ratio;
    else if (same) ranges.push([ratio, ratio]);
    inside = same;
  }
  return ranges;
}

const moves = (g: number): string =>
  g > 0 ? 'makes the token more likely' : g < 0 ? 'makes the token less likely' : 'leaves the token as it is';

/** The reason why two losses agree at a token, or what each does where they part. */
export function verdict(a: Side, b: Side, t: number, { ratio, advantage }: TokenState): string {
  const [mine = NaN, other = NaN] = [a.coefficients[t], b.coefficients[t]];
  const rho = fixed(ratio, Math.abs(ratio - 1) < 0.01 ? 3 : 2);
  if (!agree(mine, other))
    return `They differ here: at ρ = ${rho}, ${a.name} ${moves(mine)} with g = ${compact(mine)}, and ${b.name} ${moves(other)} with g = ${compact(other)}.`;
  if (a.formula === b.formula)
    return `They agree here, as at every token: with the settings of this run both losses have the same formula. Both give g = ${compact(mine)}.`;
  if (mine === 0 && advantage === 0)
    return 'They agree here: the advantage is 0, because this answer did no better and no worse than was expected. Neither moves the token.';
  if (mine === 0)
    return `They agree here: at ρ = ${rho} both are clipped, because the token has moved far enough already. Neither moves it.`;
  if (Math.abs(ratio - 1) < TOLERANCE)
    return `They agree here: ρ is 1, because no update has changed this token’s probability since it was sampled. At ρ = 1 both losses have the same gradient, g = ${compact(mine)}, however different their formulas look.`;
  return `They agree here: at ρ = ${rho} both give g = ${compact(mine)}.`;
}

/** The effect of the reductions, which decide how much a token counts beside the others of its step. */
export function weighing(a: Side, b: Side): string {
  if (agree(a.weight, b.weight)) {
    const own =
      a.ownReduction === b.ownReduction
        ? ''
        : ` With the reductions of their own papers they would differ: ${a.name} has “${a.ownReduction}”, ${b.name} “${b.ownReduction}”.`;
    return `Both weigh the token alike, w = ${compact(a.weight)} (${a.reduction}).${own}`;
  }
  const one = ({ name, weight, reduction }: Side): string =>
    `${name} by w = ${compact(weight)} (${reduction})`;
  return `They weigh it differently: ${one(a)}, ${one(b)}.`;
}

/** The number of tokens of the answer at which the two part. */
export function overAnswer(a: Side, b: Side): string {
  const parted = partings(a, b);
  const count = a.coefficients.length;
  if (parted.length === 0) return `They agree at all ${plural(count, 'token')} of this answer.`;
  const shown = parted.slice(0, 8).map((t) => t + 1);
  const more = parted.length > shown.length ? ' and others' : '';
  return `They differ at ${parted.length} of the ${plural(count, 'token')} of this answer: ${shown.join(', ')}${more}.`;
}

/** The part of the curves in which it makes no difference which of the two losses is chosen. */
export function overRatio(a: readonly CurvePoint[], b: readonly CurvePoint[]): string {
  const ranges = agreeingRanges(a, b);
  const all = ranges.length === 1 && ranges[0]?.[0] === a[0]?.ratio && ranges[0]?.[1] === a.at(-1)?.ratio;
  if (all) return 'If the token’s ratio were another, the two would still agree.';
  if (ranges.length === 0) return 'They agree at no ratio.';
  const words = ranges.map(([low, high]) =>
    agree(low, high) ? `at ρ = ${fixed(low)}` : `from ρ = ${fixed(low)} to ${fixed(high)}`,
  );
  return `Over the ratio, they agree ${words.join(' and ')}, and differ elsewhere.`;
}
