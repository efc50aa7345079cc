/** Axes that end and are marked at round numbers. */

/** The largest number of parts of an axis. */
const PARTS = 4;
const ROUND = [1, 2, 2.5, 5];
/** The share of a part that counts as rounding: 0.3 is three parts of 0.1. */
const SLACK = 1e-9;
/** The upper end of an axis whose values are all 0. */
const FLAT_TOP = 0.01;

function partsBelow(value: number, step: number): number {
  return Math.floor(value / step + SLACK);
}

function partsUpTo(value: number, step: number): number {
  return Math.ceil(value / step - SLACK);
}

/** The smallest round step (1, 2, 2.5 or 5 times a power of ten) of which at most four cover `low` to `high`. */
function stepOf(low: number, high: number): number {
  const power = 10 ** Math.floor(Math.log10((high - low) / PARTS));
  const steps = [power, 10 * power].flatMap((unit) => ROUND.map((factor) => factor * unit));
  return steps.find((step) => partsUpTo(high, step) - partsBelow(low, step) <= PARTS) ?? 100 * power;
}

/**
 * The ends of an axis that holds `low` to `high`, at multiples of a round step. The axis begins at 0 if `low` equals
 * `high`. It reaches from 0 to 0.01 if there are no values (`low` above `high`) or if all are 0.
 */
export function niceDomain(low: number, high: number): [number, number] {
  if (low > high || (low === 0 && high === 0)) return [0, FLAT_TOP];
  if (low === high) return niceDomain(Math.min(low, 0), Math.max(high, 0));
  const step = stepOf(low, high);
  const multiple = (count: number): number => Number((count * step).toPrecision(12));
  return [multiple(partsBelow(low, step)), multiple(partsUpTo(high, step))];
}

/** The round numbers on an axis from `niceDomain`, including its ends. */
export function ticksWithin([low, high]: readonly [number, number]): number[] {
  const step = stepOf(low, high);
  const first = partsUpTo(low, step);
  return Array.from({ length: partsBelow(high, step) - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}

/** Round numbers of steps from 0 on, about `count` of them and none beyond `lastStep`. */
export function stepTicks(lastStep: number, count: number): number[] {
  const rough = Math.max(1, lastStep / count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const between = Math.max(1, factor * power);
  return Array.from({ length: Math.floor(lastStep / between) + 1 }, (_, i) => i * between);
}
