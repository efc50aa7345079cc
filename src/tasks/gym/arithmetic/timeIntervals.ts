import { unless } from '@rl-playground/base/errors';
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { pythonInt } from '@rl-playground/base/pythonNumbers';
import { splitSpace, stripSpace } from '../../python/text.ts';
import { DAY, formatDuration, formatMoment } from '@rl-playground/base/clock';
import { defineGymTask, subset, whole, type ConfigOf } from '../shared/define.ts';
import { divideExactly } from '../shared/floatText.ts';

const TASK_TYPES = {
  time: 'Hours and minutes',
  time_seconds: 'With seconds',
  time_ms: 'With milliseconds',
  date: 'Dates',
  datetime: 'Dates and times',
  datetime_tz: 'Dates and times (drawn in the same way)',
} as const;

const fields = {
  max_time_difference_seconds: whole(
    'Longest time',
    'Most seconds between two times of day.',
    1,
    86_400,
    86_400,
  ),
  max_date_difference_days: whole('Most days', 'Most days between two dates.', 1, 10_000, 100),
  task_types: subset('Kinds', 'What the two ends are.', TASK_TYPES),
};
type Config = ConfigOf<typeof fields>;

/** The days on which dates start, both among them. */
const [FIRST_DAY, LAST_DAY] = [Date.UTC(1900, 0, 1) / DAY, Date.UTC(3000, 0, 1) / DAY];
/** Draws of two time zones until the end is not before the start. */
const ATTEMPTS = 20;

const DATE_FORMATS = [
  '%Y-%m-%d',
  '%B %d, %Y',
  '%m/%d/%Y',
  '%A, %B %d, %Y',
  '%a %b %d %Y',
  '%d %B %Y',
  '%Y-%m-%d (%A)',
];
const DATETIME_FORMATS = [
  '%Y-%m-%d %H:%M',
  '%Y-%m-%d %H:%M:%S',
  '%Y-%m-%d %H:%M %z',
  '%Y-%m-%d %H:%M:%S %z',
  '%A, %B %d, %Y at %H:%M',
  '%a %b %d %Y %H:%M:%S',
  '%d %B %Y, %H:%M',
  '%d %B %Y, %H:%M %z',
  '%Y-%m-%d (%A) %H:%M:%S %z',
];
const WORDS = [
  (start: string, end: string) => `How long is it from ${start} to ${end}?`,
  (start: string, end: string) =>
    `Something begins at ${start} and is over at ${end}. How long does it take?`,
  (start: string, end: string) =>
    `A train leaves at ${start} and arrives at ${end}. How long is it on its way?`,
  (start: string, end: string) => `Give the time between ${start} and ${end}.`,
];

/** The format of times of day, the form of their duration, and the milliseconds of its unit. */
const TIMES = {
  time: ['%H:%M', 'HH:MM', 60_000],
  time_seconds: ['%H:%M:%S', 'HH:MM:SS', 1000],
  time_ms: ['%H:%M:%S.%f', 'HH:MM:SS.mmm', 1],
} as const;

function drawTimes(draw: Draw, type: keyof typeof TIMES, config: Config) {
  const [format, expected, unit] = TIMES[type];
  const startSecond = uniformInt(draw, 0, DAY / 1000 - 1);
  const most = Math.min(config.max_time_difference_seconds, DAY / 1000 - startSecond - 1);
  const endSecond = startSecond + (most > 0 ? uniformInt(draw, 1, most) : 0);
  const thousandths = () => (type === 'time_ms' ? uniformInt(draw, 0, 999) : 0);
  const from = startSecond * 1000 + thousandths();
  // Upstream's end may fall past midnight, which its text does not say.
  const to = Math.min(DAY - 1, endSecond * 1000 + (from % 1000) + thousandths());
  const shown = (moment: number) => Math.floor(moment / unit) * unit;
  return {
    start: formatMoment(from, format),
    end: formatMoment(to, format),
    format,
    expected,
    answer: formatDuration(shown(to) - shown(from), expected),
  };
}

function drawDates(draw: Draw, config: Config) {
  const format = pick(draw, DATE_FORMATS);
  const days = uniformInt(draw, 0, config.max_date_difference_days);
  const from = uniformInt(draw, FIRST_DAY, LAST_DAY - config.max_date_difference_days - 1) * DAY;
  const [start, end] = [from, from + days * DAY].map((moment) => formatMoment(moment, format));
  return { start: start ?? '', end: end ?? '', format, expected: 'D days', answer: `${days} days` };
}

function drawDatetimes(draw: Draw, config: Config) {
  const format = pick(draw, DATETIME_FORMATS);
  const clock = pick(draw, ['HH:MM', 'HH:MM:SS'] as const);
  const from = uniformInt(draw, FIRST_DAY, LAST_DAY) * DAY + uniformInt(draw, 0, DAY / 1000 - 1) * 1000;
  const days = uniformInt(draw, 0, config.max_date_difference_days);
  const to = from + days * DAY + uniformInt(draw, 1, config.max_time_difference_seconds) * 1000;
  const unit = format.includes('%S') ? 1000 : 60_000;
  const shown = (moment: number) => Math.floor(moment / unit) * unit;
  const zones = () => (format.includes('%z') ? uniformInt(draw, -12, 12) : 0);
  let [startZone, endZone] = [zones(), zones()];
  const length = () => shown(to) - shown(from) - (endZone - startZone) * 3_600_000;
  for (let attempt = 0; attempt < ATTEMPTS && length() < 0; attempt++)
    [startZone, endZone] = [zones(), zones()];
  if (length() < 0) endZone = startZone;
  return {
    start: formatMoment(from, format, startZone),
    end: formatMoment(to, format, endZone),
    format,
    expected: `D days, ${clock}`,
    answer: `${Math.floor(length() / DAY)} days, ${formatDuration(length() % DAY, clock)}`,
  };
}

export const timeIntervals = defineGymTask({
  name: 'time_intervals',
  title: 'Time intervals',
  summary: 'Work out how long it is from one time or date to another.',
  family: 'mathematics',
  fields,
  levels: [
    { max_time_difference_seconds: 3600, task_types: ['time'] },
    {
      max_time_difference_seconds: 10_800,
      max_date_difference_days: 7,
      task_types: ['time', 'time_seconds', 'date'],
    },
    { max_time_difference_seconds: 21_600, max_date_difference_days: 30 },
    {},
    { max_date_difference_days: 365 },
    { max_date_difference_days: 1825 },
  ],
  metadata: (z) => ({ task_type: z.string() }),
  draw(draw, config) {
    const type = pick(draw, config.task_types);
    const interval =
      type === 'date'
        ? drawDates(draw, config)
        : type === 'datetime' || type === 'datetime_tz'
          ? drawDatetimes(draw, config)
          : drawTimes(draw, type, config);
    const { start, end, format, expected, answer } = interval;
    return {
      question: `${pick(draw, WORDS)(start, end)} Answer in the form ${expected}.`,
      compact: `time_intervals ${start} - ${end} ${expected}`,
      key: `${start}|${end}|${expected}`,
      answer,
      data: { task_type: type, start_time: start, end_time: end, format, expected_format: expected },
    };
  },
  scoreAnswer(candidate, { answer, metadata: { task_type } }, mode) {
    if (answer === '') return 0;
    if (mode === 'upstream') return durationScore(candidate, answer, task_type);
    const given = stripSpace(candidate.length > 100 ? '' : candidate).replace(/^1 day(?!s)/, '1 days');
    return given === answer ? 1 : 0;
  },
});

// How reasoning-gym reads durations and scores them.

/** Text in another form, for which upstream gives 0. */
class FormError extends Error {}

/** A whole number of any size, or with milliseconds a float, as Python keeps them. */
type Seconds = bigint | number;

/** The default settings' longest duration; an answer that is off by more earns nothing. */
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

const readDays = (text: string): bigint => wholeNumber(splitSpace(text)[0]);

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
function durationScore(candidate: string, answer: string, type: string): number {
  const [read, most] =
    type === 'date'
      ? ([readDays, MOST_DAYS] as const)
      : type.startsWith('time')
        ? ([(text: string) => readClock(stripSpace(text), true), DAY_SECONDS] as const)
        : ([readDaysAndClock, MOST_DAYS * DAY_SECONDS] as const);
  return unless([FormError], 0, () => closeness(read(candidate), read(answer), most));
}
