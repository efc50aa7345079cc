/** What is worked out about a list of rows, once for each list: a form asks at every key. */
import type * as z from 'zod';
import { ownRowsSchema, type GraderSettings, type OwnRow } from './definition.ts';
import { graderOf } from './graders/index.ts';
import { sidesError, splitRows, type Sides } from './rowStream.ts';

/** Bad rows that an error names. */
const MOST_NAMED = 3;

export interface RowFacts {
  readonly sides: Sides;
  /** What keeps the rows from being split, or from being rows at all; null where nothing does. */
  readonly error: string | null;
  /** Number of different questions. */
  readonly distinct: number;
  /** Different answers, in the order of their first appearance. */
  readonly answers: readonly string[];
}

const knownFacts = new WeakMap<readonly OwnRow[], RowFacts>();
/** By list, the latest grader that looked at it. */
const knownGrading = new WeakMap<
  readonly OwnRow[],
  { readonly grader: string; readonly error: string | null }
>();

/** The first few things wrong, one sentence each. */
export function issueTexts(error: z.ZodError, under = ''): string[] {
  return error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${[under, ...path].filter((part) => part !== '').join('.')}: ${message}`);
}

export function rowFacts(rows: readonly OwnRow[]): RowFacts {
  const known = knownFacts.get(rows);
  if (known !== undefined) return known;
  const shape = ownRowsSchema.safeParse(rows);
  const sides = splitRows(shape.success ? rows : []);
  const facts: RowFacts = {
    sides,
    error: shape.success ? sidesError(sides) : issueTexts(shape.error, 'rows').join(' '),
    distinct: new Set(rows.map(({ question }) => question)).size,
    answers: [...new Set(rows.map(({ answer }) => answer))],
  };
  knownFacts.set(rows, facts);
  return facts;
}

/** Which rows no completion could be right for, and why; null where there are none. */
export function gradingError(rows: readonly OwnRow[], settings: GraderSettings): string | null {
  if (settings.kind === 'code') return null;
  const key = JSON.stringify(settings);
  const known = knownGrading.get(rows);
  if (known?.grader === key) return known.error;
  const grader = graderOf(settings);
  const bad: string[] = [];
  let count = 0;
  for (const [i, { answer }] of rows.entries()) {
    const error = grader.answerError(answer);
    if (error === null) continue;
    count++;
    if (bad.length < MOST_NAMED) bad.push(`row ${i + 1} (${JSON.stringify(answer.slice(0, 40))}): ${error}`);
  }
  const more = count > bad.length ? '; …' : '';
  const error =
    count === 0
      ? null
      : `${count} of ${rows.length} rows can't be graded: ${bad.join('; ')}${more}. Correct them, remove them or choose another grader.`;
  knownGrading.set(rows, { grader: key, error });
  return error;
}
