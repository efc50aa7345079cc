/** A task of the user's own, from its definition. */
import type * as z from 'zod';
import { smallSpace } from '../define/define.ts';
import { real } from '../define/fields.ts';
import { judged, withFault } from '../define/reason.ts';
import {
  CUSTOM_PREFIX,
  type Completion,
  type Problem,
  type Reward,
  type ScoredItem,
  type Task,
  type TaskConfig,
} from '../define/types.ts';
import {
  type CustomTask,
  type GraderSettings,
  graderSettings,
  customHeadSchema,
  type CustomRow,
  customRowsSchema,
} from '../define/definition.ts';
import { graderOf } from './graders/index.ts';
import { type Grader, patternError } from './graders/textGraders.ts';
import { rowStream, type Sides, sidesError, splitRows } from './rowStream.ts';

/** Bad rows that an error names. */
const MOST_NAMED = 3;

/** Facts about a list of rows. They are worked out once for each list, because a form asks for them at every key. */
interface RowFacts {
  readonly sides: Sides;
  /** The reason why the rows cannot be split or read, or null. */
  readonly error: string | null;
  /** Number of different questions. */
  readonly distinct: number;
}

const knownFacts = new WeakMap<readonly CustomRow[], RowFacts>();
/** The last grader that looked at each list, and the error it found. */
const knownGrading = new WeakMap<
  readonly CustomRow[],
  { readonly grader: string; readonly error: string | null }
>();

/** The first few things wrong, one sentence each. */
function issueTexts(error: z.ZodError, under = ''): string[] {
  return error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${[under, ...path].filter((part) => part !== '').join('.')}: ${message}`);
}

function rowFacts(rows: readonly CustomRow[]): RowFacts {
  const known = knownFacts.get(rows);
  if (known !== undefined) return known;
  const shape = customRowsSchema.safeParse(rows);
  const sides = splitRows(shape.success ? rows : []);
  const facts: RowFacts = {
    sides,
    error: shape.success ? sidesError(sides) : issueTexts(shape.error, 'rows').join(' '),
    distinct: new Set(rows.map(({ question }) => question)).size,
  };
  knownFacts.set(rows, facts);
  return facts;
}

/** The reason why no completion could be right for a row, or why the grader does not find its own worked answer right, or null. */
function rowError(grader: Grader, settings: GraderSettings, answer: string): string | null {
  const refused = grader.answerError(answer);
  // A row that is a pattern says no text that it matches.
  if (refused !== null || (settings.kind === 'regex' && settings.pattern === '')) return refused;
  const worked = grader.worked(answer);
  const { correct, extracted } = grader.grade(worked, answer);
  if (correct) return null;
  const read = extracted === null ? 'finds no answer' : `reads ${JSON.stringify(extracted.slice(0, 40))}`;
  return `the grader ${read} in the worked answer ${JSON.stringify(worked.slice(0, 60))}, which would have to be right`;
}

/** The rows for which no completion could be right, with the reasons, or null. */
function gradingError(rows: readonly CustomRow[], settings: GraderSettings): string | null {
  if (settings.kind === 'code') return null;
  const key = JSON.stringify(settings);
  const known = knownGrading.get(rows);
  if (known?.grader === key) return known.error;
  const grader = graderOf(settings);
  /** The first rows by what is wrong with them. */
  const bad = new Map<string, string[]>();
  let count = 0;
  for (const [i, { answer }] of rows.entries()) {
    const error = rowError(grader, settings, answer);
    if (error === null) continue;
    count++;
    if (count > MOST_NAMED) continue;
    bad.set(error, [...(bad.get(error) ?? []), `row ${i + 1} (${JSON.stringify(answer.slice(0, 40))})`]);
  }
  const named = Array.from(bad, ([why, at]) => `${at.join(', ')}: ${why}`).join('; ');
  const more = count > MOST_NAMED ? '; …' : '';
  const error =
    count === 0
      ? null
      : `${count} of ${rows.length} rows can't be graded: ${named}${more}. Correct them, remove them or choose another grader.`;
  knownGrading.set(rows, { grader: key, error });
  return error;
}

/**
 * Runs the function `score(problem, completion)` of a program on every item, in order. The caller provides it, because a program is only
 * safe in a sandbox. A throw, a hang or a result of the wrong form is a reward of 0 with `error`, never a rejection.
 */
export type ScoreProgram = (source: string, items: readonly ScoredItem[]) => Promise<Reward[]>;

/** The parts of a row that its prompt has beside the question. */
type RowData = Pick<CustomRow, 'system' | 'earlier'>;

const FORMAT_WEIGHT = real(
  'Weight of the format',
  'What an answer in the right format earns on top of its score, whether right or wrong. A program of your own decides for itself.',
  0,
  10,
  0.2,
);

/** The errors of a definition, one sentence each. */
export function customTaskErrors({ rows, ...head }: CustomTask): string[] {
  const checked = customHeadSchema.safeParse(head);
  if (!checked.success) return issueTexts(checked.error);
  const { grader } = checked.data;
  const pattern = grader.kind === 'regex' && grader.pattern !== '' ? patternError(grader.pattern) : null;
  const facts = rowFacts(rows);
  return [pattern, facts.error, facts.error === null ? gradingError(rows, grader) : null].filter(
    (error) => error !== null,
  );
}

function gradedScore(grader: Grader, problem: Problem, { text }: Completion, config: TaskConfig): Reward {
  const { correct, format, extracted, ...found } = grader.grade(text, problem.answer);
  const verdict = judged({ correct, read: extracted, truth: problem.answer, wanted: grader.form });
  const missed = !format && extracted !== null ? `not in the format of a ${grader.form}` : null;
  const weight = Number(config['format_weight'] ?? FORMAT_WEIGHT.default);
  const parts = { accuracy: correct ? 1 : 0, format: format ? weight : 0 };
  const reason = found.error ?? withFault(verdict, missed);
  return { total: parts.accuracy + parts.format, parts, correct, format, reason, extracted, ...found };
}

/** The reward of one text for one row, or the reason why the row or the grader's settings are refused. */
export function gradeText(
  settings: unknown,
  answer: string,
  text: string,
): Pick<Reward, 'correct' | 'extracted' | 'total'> | { readonly refused: string } {
  const checked = graderSettings.safeParse(settings);
  if (!checked.success) return { refused: issueTexts(checked.error, 'settings').join(' ') };
  if (checked.data.kind === 'code') return { refused: 'A program runs in a sandbox, for a whole task.' };
  const grader = graderOf(checked.data);
  const error =
    (checked.data.kind === 'regex' && checked.data.pattern !== ''
      ? patternError(checked.data.pattern)
      : null) ?? rowError(grader, checked.data, answer);
  if (error !== null) return { refused: error };
  const { correct, format, extracted } = grader.grade(text, answer);
  return { correct, extracted, total: (correct ? 1 : 0) + (format ? FORMAT_WEIGHT.default : 0) };
}

/**
 * Makes the task `own:NAME` of a definition. `program` scores a task whose grader is code; without it such a task can be asked but not
 * scored. Throws the errors of `customTaskErrors`.
 */
export function customTask(definition: CustomTask, program: ScoreProgram | null = null): Task {
  const errors = customTaskErrors(definition);
  if (errors.length > 0) throw new Error(`${CUSTOM_PREFIX}${definition.name}: ${errors.join(' ')}`);
  const { rows, grader: settings, system, origin } = definition;
  const name = `${CUSTOM_PREFIX}${definition.name}`;
  const { sides, distinct } = rowFacts(rows);
  const rowAt = rowStream(sides);
  const grader = settings.kind === 'code' ? null : graderOf(settings);
  const worked = (answer: string): string =>
    settings.kind === 'code'
      ? settings.form.replaceAll('{answer}', () => answer)
      : (grader?.worked(answer) ?? answer);
  return {
    name,
    title: definition.name,
    summary: `Your own task: ${rows.length.toLocaleString('en')} rows.`,
    source: origin?.source ?? 'rows of your own',
    family: 'own',
    fields: { format_weight: FORMAT_WEIGHT },
    defaults: { format_weight: FORMAT_WEIGHT.default },
    levels: [{}],
    starter: null,
    definition,
    checkConfig: () => null,
    space: () => smallSpace(distinct),
    generate(seed, split, index) {
      const { question, answer, system: own, earlier } = rowAt(seed, split, index);
      const data: RowData | null =
        own === undefined && earlier === undefined ? null : { system: own, earlier };
      const gold = grader?.gold(answer) ?? answer;
      return { task: name, split, index, question, compact: question, answer: gold, data };
    },
    messages: ({ question, data }, style) => {
      const own = data as RowData | null;
      const asked = own?.system ?? system;
      const user = { role: 'user' as const, content: question };
      if (style === 'compact') return [user];
      const first = asked === '' ? [] : [{ role: 'system' as const, content: asked }];
      return [...first, ...(own?.earlier ?? []), user];
    },
    score(problem, completion, { config }) {
      if (grader === null)
        throw new Error(
          `${name} is scored by a program of its own, all completions of a step at once (scoreAll).`,
        );
      return gradedScore(grader, problem, completion, config);
    },
    ...(settings.kind === 'code' && program !== null
      ? {
          scoreAll: async (items) => {
            const rewards = await program(settings.source, items);
            if (!settings.leaveOutFailures) return rewards;
            return rewards.map((reward) =>
              reward.error === undefined ? reward : { ...reward, leftOut: true as const },
            );
          },
        }
      : {}),
    workedAnswer: (problem) => worked(problem.answer),
    demonstration: (problem) => worked(problem.answer),
  };
}
