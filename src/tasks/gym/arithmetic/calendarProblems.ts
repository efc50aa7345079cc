/** The kinds of calendar problems, each drawn with its words and answer. */
import { pick, uniformInt } from '../../../base/random.ts';
import { DAY, formatMoment, weekdayOf } from '../shared/clock.ts';

export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

export const CALENDAR_TASKS = {
  weekday_offset: 'Weekday some days on or back',
  weekday_of_date: 'Weekday of a date',
  weekday_of_date_from_first_date: 'Weekday from that of 1 January',
  recurring_event_day: 'Day of, say, the second Tuesday',
  count_days: 'How often a weekday occurs',
  count_business_days: 'How many working days there are',
  is_leap_year: 'Leap years',
} as const;
export type CalendarTask = keyof typeof CALENDAR_TASKS;

export interface CalendarSettings {
  readonly year: number;
  readonly offset_upper_bound: number;
  readonly leap_year_range: number;
}

export interface CalendarProblem {
  readonly words: string;
  readonly answer: string;
  /** What the problem is about, whatever the words. */
  readonly key: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type Draw = () => number;

const ORDINALS = ['first', 'second', 'third', 'fourth', 'last'] as const;

const iso = (moment: number): string => formatMoment(moment, '%Y-%m-%d');
const named = (moment: number): string => formatMoment(moment, '%A, %d %B %Y');
const firstOf = (year: number, month: number): number => Date.UTC(year, month, 1);
const isLeap = (year: number): boolean => firstOf(year, 2) - firstOf(year, 1) === 29 * DAY;
const daysOf = (year: number): number => (firstOf(year + 1, 0) - firstOf(year, 0)) / DAY;

/** Any month as likely as any other, and any day of it. */
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

function weekdayOffset(draw: Draw, { year, offset_upper_bound }: CalendarSettings): CalendarProblem {
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
    words: pick(draw, words),
    answer: weekdayOf(target),
    key: `${iso(start)} ${offset}`,
    data: { start_date: iso(start), offset_days: offset, target_date: iso(target) },
  };
}

function weekdayOfDate(draw: Draw, { year }: CalendarSettings): CalendarProblem {
  const target = drawDate(draw, year);
  const day = formatMoment(target, pick(draw, ['%d %B %Y', '%B %d, %Y', '%m/%d/%Y (month/day/year)']));
  return {
    words: `Which day of the week is ${day}?`,
    answer: weekdayOf(target),
    key: iso(target),
    data: { target_date: iso(target) },
  };
}

function weekdayFromFirst(draw: Draw, { year, offset_upper_bound }: CalendarSettings): CalendarProblem {
  const first = uniformInt(draw, 0, 6);
  const delta = uniformInt(draw, 1, Math.min(offset_upper_bound, daysOf(year) - 1));
  const target = firstOf(year, 0) + delta * DAY;
  const [kind, day] = [isLeap(year) ? 'a leap year' : 'a year of 365 days', formatMoment(target, '%d %B')];
  return {
    words: `In ${kind} 1 January is a ${WEEKDAYS[first]}. Which weekday is ${day}?`,
    answer: WEEKDAYS[(first + delta) % 7] ?? '',
    key: `${first} ${iso(target)}`,
    data: { year, first_day: WEEKDAYS[first], target_date: iso(target), delta_days: delta },
  };
}

function recurringEventDay(draw: Draw, { year }: CalendarSettings): CalendarProblem {
  const month = uniformInt(draw, 0, 11);
  const ordinal = pick(draw, ORDINALS);
  const weekday = pick(draw, WEEKDAYS);
  const days: number[] = [];
  for (let day = firstOf(year, month); day < firstOf(year, month + 1); day += DAY)
    if (weekdayOf(day) === weekday) days.push(new Date(day).getUTCDate());
  const event = ordinal === 'last' ? days.at(-1) : days[ORDINALS.indexOf(ordinal)];
  return {
    words: `A club meets on the ${ordinal} ${weekday} of ${formatMoment(firstOf(year, month), '%B %Y')}. On which day of the month is that?`,
    answer: `${event ?? -1}`,
    key: `${year} ${month} ${ordinal} ${weekday}`,
    data: { year, month: month + 1, ordinal, weekday },
  };
}

function countDays(draw: Draw, { year, offset_upper_bound }: CalendarSettings): CalendarProblem {
  const last = daysOf(year) - 1;
  const first = uniformInt(draw, 0, last);
  const start = firstOf(year, 0) + first * DAY;
  const end = start + uniformInt(draw, 0, Math.min(last - first, offset_upper_bound)) * DAY;
  const weekday = pick(draw, WEEKDAYS);
  return {
    words: `How many ${weekday}s are there from ${named(start)} to ${named(end)}, both included?`,
    answer: `${countWeekdays(start, end, [weekday])}`,
    key: `${iso(start)} ${iso(end)} ${weekday}`,
    data: { year, start_date: iso(start), end_date: iso(end), weekday },
  };
}

function countBusinessDays(draw: Draw, { year, offset_upper_bound }: CalendarSettings): CalendarProblem {
  const start = firstOf(year, 0) + uniformInt(draw, 0, daysOf(year) - 1) * DAY;
  const end = start + uniformInt(draw, 0, offset_upper_bound) * DAY;
  return {
    words: `How many days from Monday to Friday are there from ${named(start)} to ${named(end)}, both included?`,
    answer: `${countWeekdays(start, end, WEEKDAYS.slice(0, 5))}`,
    key: `${iso(start)} ${iso(end)}`,
    data: { start_date: iso(start), end_date: iso(end) },
  };
}

function leapYear(draw: Draw, { year, leap_year_range }: CalendarSettings): CalendarProblem {
  const half = Math.floor(leap_year_range / 2);
  const asked = uniformInt(draw, year - half, year + half);
  return {
    words: pick(draw, [`Is ${asked} a leap year?`, `Does the year ${asked} have 29 days in February?`]),
    answer: isLeap(asked) ? 'Yes' : 'No',
    key: `${asked}`,
    data: { year: asked, is_leap: isLeap(asked) },
  };
}

const KINDS: Readonly<Record<CalendarTask, (draw: Draw, settings: CalendarSettings) => CalendarProblem>> = {
  weekday_offset: weekdayOffset,
  weekday_of_date: weekdayOfDate,
  weekday_of_date_from_first_date: weekdayFromFirst,
  recurring_event_day: recurringEventDay,
  count_days: countDays,
  count_business_days: countBusinessDays,
  is_leap_year: leapYear,
};

/** A problem of that kind. Years need four digits. */
export function drawCalendarProblem(
  draw: Draw,
  task: CalendarTask,
  settings: CalendarSettings,
): CalendarProblem {
  return KINDS[task](draw, settings);
}
