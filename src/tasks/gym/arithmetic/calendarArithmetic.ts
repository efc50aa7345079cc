import * as z from 'zod';
import { subset, whole } from '../../fields.ts';
import { pythonInt } from '../../python/numbers.ts';
import { stripSpace } from '../../python/text.ts';
import { pick } from '../../../base/random.ts';
import { CALENDAR_TASKS, drawCalendarProblem, WEEKDAYS, type CalendarTask } from './calendarProblems.ts';
import { defineGymTask } from '../shared/define.ts';
import { divideExactly } from '../shared/floatText.ts';
import { textScore } from '../shared/scoring.ts';

/** What kind of answer each kind of problem has. */
const ANSWERS: Readonly<Record<CalendarTask, 'weekday' | 'number' | 'yes or no'>> = {
  weekday_offset: 'weekday',
  weekday_of_date: 'weekday',
  weekday_of_date_from_first_date: 'weekday',
  recurring_event_day: 'number',
  count_days: 'number',
  count_business_days: 'number',
  is_leap_year: 'yes or no',
};
const FORMS = {
  weekday: 'Answer with the name of the weekday.',
  number: 'Answer with a number.',
  'yes or no': 'Answer Yes or No.',
} as const;

/** Longer texts are no weekday. */
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
  if (candidate === '' || !Object.hasOwn(ANSWERS, task)) return 0;
  const kind = ANSWERS[task as CalendarTask];
  if (kind === 'weekday') return weekdayScore(candidate, answer);
  if (kind === 'number') return numberScore(stripSpace(candidate), stripSpace(answer));
  return stripSpace(candidate).toLowerCase() === answer.toLowerCase() ? 1 : 0;
}

/** Weekdays, numbers of days and leap years. */
export const calendarArithmetic = defineGymTask({
  name: 'calendar_arithmetic',
  title: 'Calendar arithmetic',
  summary: 'Weekdays of dates, days between dates, and leap years.',
  family: 'mathematics',
  fields: {
    year: whole('Year', 'The year that problems are about.', 1600, 9000, 2022),
    tasks: subset('Kinds', 'What is asked.', CALENDAR_TASKS, Object.keys(CALENDAR_TASKS) as CalendarTask[]),
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
  metadata: z.looseObject({ task: z.string() }),
  space: ({ tasks, leap_year_range }) => {
    if (tasks.some((task) => task !== 'weekday_of_date' && task !== 'is_leap_year')) return null;
    return (
      (tasks.includes('weekday_of_date') ? 365 : 0) +
      (tasks.includes('is_leap_year') ? leap_year_range + 1 : 0)
    );
  },
  draw(draw, config) {
    const task = pick(draw, config.tasks);
    const { words, answer, key, data } = drawCalendarProblem(draw, task, config);
    return {
      question: `${words} ${FORMS[ANSWERS[task]]}`,
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
