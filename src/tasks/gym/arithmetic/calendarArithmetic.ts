import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { pythonInt } from '@rl-playground/base/pythonNumbers';
import { stripSpace } from '../../python/text.ts';
import { DAY, formatMoment, weekdayOf } from '@rl-playground/base/clock';
import { defineGymTask, subset, whole } from '../shared/define.ts';
import type { DrawnProblem } from '../../define/types.ts';
import { divideExactly } from '../shared/floatText.ts';
import { textScore } from '../shared/scoring.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

interface CalendarSettings {
  readonly year: number;
  readonly offset_upper_bound: number;
  readonly leap_year_range: number;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'last'] as const;

const iso = (moment: number): string => formatMoment(moment, '%Y-%m-%d');
const named = (moment: number): string => formatMoment(moment, '%A, %d %B %Y');
const firstOf = (year: number, month: number): number => Date.UTC(year, month, 1);
const isLeap = (year: number): boolean => firstOf(year, 2) - firstOf(year, 1) === 29 * DAY;
const daysOf = (year: number): number => (firstOf(year + 1, 0) - firstOf(year, 0)) / DAY;

/** Draws a month and then a day, each uniformly. */
function drawDate(draw: Draw, year: number): number {
  const month = uniformInt(draw, 0, 11);
  const days = (firstOf(year, month + 1) - firstOf(year, month)) / DAY;
  return firstOf(year, month) + uniformInt(draw, 0, days - 1) * DAY;
}

/** The days from one moment to another, both included, that fall on one of these weekdays. */
function countWeekdays(start: number, end: number, weekdays: readonly string[]): number {
  let count = 0;
  for (let day = start; day <= end; day += DAY) count += weekdays.includes(weekdayOf(day)) ? 1 : 0;
  return count;
}

function weekdayOffset(draw: Draw, { year, offset_upper_bound }: CalendarSettings): DrawnProblem<object> {
  const start = drawDate(draw, year);
  const size = uniformInt(draw, 1, offset_upper_bound);
  const offset = draw() < 0.5 ? -size : size;
  const target = start + offset * DAY;
  const words =
    offset < 0
      ? [
          `Today is ${named(start)}. Which weekday was it ${size} days ago?`,
          `Which weekday is ${size} days before ${named(start)}?`,
        ]
      : [
          `Today is ${named(start)}. Which weekday will it be in ${size} days?`,
          `Which weekday is ${size} days after ${named(start)}?`,
        ];
  return {
    question: pick(draw, words),
    answer: weekdayOf(target),
    key: `${iso(start)} ${offset}`,
    data: { start_date: iso(start), offset_days: offset, target_date: iso(target) },
  };
}

function weekdayOfDate(draw: Draw, { year }: CalendarSettings): DrawnProblem<object> {
  const target = drawDate(draw, year);
  const day = formatMoment(target, pick(draw, ['%d %B %Y', '%B %d, %Y', '%m/%d/%Y (month/day/year)']));
  return {
    question: `Which day of the week is ${day}?`,
    answer: weekdayOf(target),
    key: iso(target),
    data: { target_date: iso(target) },
  };
}

function weekdayFromFirst(draw: Draw, { year, offset_upper_bound }: CalendarSettings): DrawnProblem<object> {
  const first = uniformInt(draw, 0, 6);
  const delta = uniformInt(draw, 1, Math.min(offset_upper_bound, daysOf(year) - 1));
  const target = firstOf(year, 0) + delta * DAY;
  const [kind, day] = [isLeap(year) ? 'a leap year' : 'a year of 365 days', formatMoment(target, '%d %B')];
  return {
    question: `In ${kind} 1 January is a ${WEEKDAYS[first]}. Which weekday is ${day}?`,
    answer: WEEKDAYS[(first + delta) % 7] ?? '',
    key: `${first} ${iso(target)}`,
    data: { year, first_day: WEEKDAYS[first], target_date: iso(target), delta_days: delta },
  };
}

function recurringEventDay(draw: Draw, { year }: CalendarSettings): DrawnProblem<object> {
  const month = uniformInt(draw, 0, 11);
  const ordinal = pick(draw, ORDINALS);
  const weekday = pick(draw, WEEKDAYS);
  const days: number[] = [];
  for (let day = firstOf(year, month); day < firstOf(year, month + 1); day += DAY)
    if (weekdayOf(day) === weekday) days.push(new Date(day).getUTCDate());
  const event = ordinal === 'last' ? days.at(-1) : days[ORDINALS.indexOf(ordinal)];
  return {
    question: `A club meets on the ${ordinal} ${weekday} of ${formatMoment(firstOf(year, month), '%B %Y')}. On which day of the month is that?`,
    answer: `${event ?? -1}`,
    key: `${year} ${month} ${ordinal} ${weekday}`,
    data: { year, month: month + 1, ordinal, weekday },
  };
}

function countDays(draw: Draw, { year, offset_upper_bound }: CalendarSettings): DrawnProblem<object> {
  const last = daysOf(year) - 1;
  const first = uniformInt(draw, 0, last);
  const start = firstOf(year, 0) + first * DAY;
  const end = start + uniformInt(draw, 0, Math.min(last - first, offset_upper_bound)) * DAY;
  const weekday = pick(draw, WEEKDAYS);
  return {
    question: `How many ${weekday}s are there from ${named(start)} to ${named(end)}, both included?`,
    answer: `${countWeekdays(start, end, [weekday])}`,
    key: `${iso(start)} ${iso(end)} ${weekday}`,
    data: { year, start_date: iso(start), end_date: iso(end), weekday },
  };
}

function countBusinessDays(draw: Draw, { year, offset_upper_bound }: CalendarSettings): DrawnProblem<object> {
  const start = firstOf(year, 0) + uniformInt(draw, 0, daysOf(year) - 1) * DAY;
  const end = start + uniformInt(draw, 0, offset_upper_bound) * DAY;
  return {
    question: `How many days from Monday to Friday are there from ${named(start)} to ${named(end)}, both included?`,
    answer: `${countWeekdays(start, end, WEEKDAYS.slice(0, 5))}`,
    key: `${iso(start)} ${iso(end)}`,
    data: { start_date: iso(start), end_date: iso(end) },
  };
}

function leapYear(draw: Draw, { year, leap_year_range }: CalendarSettings): DrawnProblem<object> {
  const half = Math.floor(leap_year_range / 2);
  const asked = uniformInt(draw, year - half, year + half);
  return {
    question: pick(draw, [`Is ${asked} a leap year?`, `Does the year ${asked} have 29 days in February?`]),
    answer: isLeap(asked) ? 'Yes' : 'No',
    key: `${asked}`,
    data: { year: asked, is_leap: isLeap(asked) },
  };
}

type Answer = 'weekday' | 'number' | 'yes or no';
type DrawKind = (draw: Draw, settings: CalendarSettings) => DrawnProblem<object>;
const kind = (label: string, answer: Answer, draw: DrawKind) => ({ label, answer, draw });

const KINDS = {
  weekday_offset: kind('Weekday some days on or back', 'weekday', weekdayOffset),
  weekday_of_date: kind('Weekday of a date', 'weekday', weekdayOfDate),
  weekday_of_date_from_first_date: kind('Weekday from that of 1 January', 'weekday', weekdayFromFirst),
  recurring_event_day: kind('Day of, say, the second Tuesday', 'number', recurringEventDay),
  count_days: kind('How often a weekday occurs', 'number', countDays),
  count_business_days: kind('How many working days there are', 'number', countBusinessDays),
  is_leap_year: kind('Leap years', 'yes or no', leapYear),
};
type CalendarTask = keyof typeof KINDS;
const TASKS = Object.keys(KINDS) as CalendarTask[];
const LABELS = Object.fromEntries(TASKS.map((task) => [task, KINDS[task].label])) as Record<
  CalendarTask,
  string
>;

const FORMS: Readonly<Record<Answer, string>> = {
  weekday: 'Answer with the name of the weekday.',
  number: 'Answer with a number.',
  'yes or no': 'Answer Yes or No.',
};

/** The length of the longest weekday. */
const LONGEST_WEEKDAY = 9;

function weekdayScore(candidate: string, answer: string): number {
  const given = stripSpace(candidate);
  if (given === answer) return 1;
  const isWeekday = (text: string) => WEEKDAYS.some((weekday) => weekday === text);
  if (given.length > LONGEST_WEEKDAY) return 0;
  if (isWeekday(given)) return 0.1;
  return isWeekday(`${given.charAt(0).toUpperCase()}${given.slice(1).toLowerCase()}`) ? 0.05 : 0;
}

/** The closer in proportion, the more: e^(−5 · error). Throws where that is too large for a float. */
function numberScore(candidate: string, answer: string): number {
  const [given, truth] = [pythonInt(candidate), pythonInt(answer)];
  if (given === null || truth === null) return 0;
  if (truth === 0n) return given === 0n ? 1 : 0;
  const size = given < truth ? truth - given : given - truth;
  const error = truth < 0n ? divideExactly(-size, -truth) : divideExactly(size, truth);
  const score = Math.exp(-5 * error);
  if (score === Infinity)
    throw new Error('OverflowError: the number is too far from a negative one; it must be close to it.');
  return score;
}

function upstreamScore(candidate: string, answer: string, task: string): number {
  if (candidate === '' || !Object.hasOwn(KINDS, task)) return 0;
  const form = KINDS[task as CalendarTask].answer;
  if (form === 'weekday') return weekdayScore(candidate, answer);
  if (form === 'number') return numberScore(stripSpace(candidate), stripSpace(answer));
  return stripSpace(candidate).toLowerCase() === answer.toLowerCase() ? 1 : 0;
}

export const calendarArithmetic = defineGymTask({
  name: 'calendar_arithmetic',
  title: 'Calendar arithmetic',
  summary: 'Weekdays of dates, days between dates, and leap years.',
  family: 'mathematics',
  fields: {
    year: whole('Year', 'The year that problems are about.', 1600, 9000, 2022),
    tasks: subset('Kinds', 'What is asked.', LABELS),
    offset_upper_bound: whole('Most days', 'How far apart dates are at most.', 1, 10_000, 100),
    leap_year_range: whole(
      'Range of leap years',
      'Years asked about, half of them before the year.',
      0,
      1000,
      200,
    ),
  },
  levels: [
    { tasks: ['weekday_of_date'], offset_upper_bound: 30 },
    { tasks: ['weekday_of_date', 'is_leap_year', 'weekday_offset'] },
    { tasks: ['weekday_of_date', 'is_leap_year', 'weekday_offset', 'count_days', 'count_business_days'] },
    {},
    { offset_upper_bound: 365 },
  ],
  metadata: (z) => ({ task: z.string() }),
  space: ({ tasks, leap_year_range }) => {
    if (tasks.some((task) => task !== 'weekday_of_date' && task !== 'is_leap_year')) return null;
    return (
      (tasks.includes('weekday_of_date') ? 365 : 0) +
      (tasks.includes('is_leap_year') ? leap_year_range + 1 : 0)
    );
  },
  draw(draw, config) {
    const task = pick(draw, config.tasks);
    const { question, answer, key, data } = KINDS[task].draw(draw, config);
    return {
      question: `${question} ${FORMS[KINDS[task].answer]}`,
      key: `${task} ${key}`,
      answer,
      data: { ...data, task },
    };
  },
  scoreAnswer(candidate, { answer, metadata: { task } }, mode) {
    if (mode === 'upstream') return upstreamScore(candidate, answer, task);
    const text = candidate.length > 100 ? '' : candidate.toLowerCase();
    return textScore(text, answer.toLowerCase(), mode);
  },
});
