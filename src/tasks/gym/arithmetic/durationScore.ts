/** How reasoning-gym's time_intervals reads durations and scores them. */
import { pythonInt } from '../../python/numbers.ts';
import { splitSpace, stripSpace } from '../../python/text.ts';
import { divideExactly } from '../shared/floatText.ts';

/** Text in another form, for which upstream gives 0. */
class FormError extends Error {}

/** A whole number of any size, or with milliseconds a float, as Python keeps them. */
type Seconds = bigint | number;

/** Most off that earns anything: the default settings' longest durations. */
const MOST_DAYS = 100n;
const DAY_SECONDS = 86_400n;

function wholeNumber(text: string | undefined): bigint {
  const value = text === undefined ? null : pythonInt(text);
  if (value === null) throw new FormError();
  return value;
}

const float = (value: bigint): number => divideExactly(value, 1n);

/** `H:M`, `H:M:S`, `H:M:S.mmm`; what follows a third colon is not read. */
function readClock(text: string, fractions: boolean): Seconds {
  const [hours, minutes, last] = text.split(':', 3);
  const seconds = wholeNumber(hours) * 3600n + wholeNumber(minutes) * 60n;
  if (last === undefined) return seconds;
  if (!fractions || !last.includes('.')) return seconds + wholeNumber(last);
  const [units, thousandths, ...more] = last.split('.', 3);
  if (more.length > 0) throw new FormError();
  return float(seconds) + (float(wholeNumber(units)) + divideExactly(wholeNumber(thousandths), 1000n));
}

function readDays(text: string): bigint {
  return wholeNumber(splitSpace(text)[0]);
}

function readDaysAndClock(text: string): Seconds {
  const days = wholeNumber(text.split(' days,', 1)[0]);
  const clock = text.split(',', 2)[1];
  if (clock === undefined) throw new FormError();
  const seconds = readClock(stripSpace(clock), false);
  return typeof seconds === 'bigint' ? days * DAY_SECONDS + seconds : seconds;
}

/** 1 for equal durations, less by the share of `most` that they are apart. Throws where the difference is too large for a float. */
function closeness(given: Seconds, truth: Seconds, most: bigint): number {
  if (typeof given === 'bigint' && typeof truth === 'bigint') {
    const difference = given < truth ? truth - given : given - truth;
    return difference === 0n ? 1 : Math.max(0, 1 - divideExactly(difference, most));
  }
  const [left, right] = [given, truth].map((value) => (typeof value === 'bigint' ? float(value) : value));
  return Math.max(0, 1 - Math.abs((left ?? 0) - (right ?? 0)) / Number(most));
}

/** Upstream's score of a duration. Throws where upstream does: on numbers that no float can hold. */
export function durationScore(candidate: string, answer: string, type: string): number {
  const [read, most] =
    type === 'date'
      ? ([readDays, MOST_DAYS] as const)
      : type.startsWith('time')
        ? ([(text: string) => readClock(stripSpace(text), true), DAY_SECONDS] as const)
        : ([readDaysAndClock, MOST_DAYS * DAY_SECONDS] as const);
  try {
    return closeness(read(candidate), read(answer), most);
  } catch (error) {
    if (error instanceof FormError) return 0;
    throw error;
  }
}
