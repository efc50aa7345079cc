/** A task of a person's own, from its definition. */
import { real } from '../fields.ts';
import { pick } from '../../base/random.ts';
import type { Completion, Problem, Reward, Task, TaskConfig } from '../types.ts';
import { ownHeadSchema, type GraderSettings, type CustomTask } from './definition.ts';
import { graderOf } from './graders/index.ts';
import { patternError } from './graders/regex.ts';
import type { Grader } from './graders/types.ts';
import type { ScoreProgram } from './program.ts';
import { CUSTOM_PREFIX } from './registry.ts';
import { gradingError, issueTexts, rowFacts } from './rowFacts.ts';
import { rowStream } from './rowStream.ts';

/** Problems up to which a form says that the space is small. */
const SMALL_SPACE = 2000;

const FORMAT_WEIGHT = real(
  'Weight of the format',
  'What an answer in the right form earns on top of its score, whether right or wrong. A program of your own decides for itself.',
  0,
  10,
  0.2,
);

/** Of a starter model's demonstrations, so that there is something left to learn. */
const WRONG_ENDING_RATE = 0.4;

/** What is wrong with a definition, one sentence each; empty where nothing is. */
export function ownTaskErrors({ rows, ...head }: CustomTask): string[] {
  const checked = ownHeadSchema.safeParse(head);
  if (!checked.success) return issueTexts(checked.error);
  const { grader } = checked.data;
  const pattern = grader.kind === 'regex' && grader.pattern !== '' ? patternError(grader.pattern) : null;
  const facts = rowFacts(rows);
  return [pattern, facts.error, facts.error === null ? gradingError(rows, grader) : null].filter(
    (error) => error !== null,
  );
}

function gradedScore(grader: Grader, problem: Problem, { text }: Completion, config: TaskConfig): Reward {
  const { extracted, correct, format, matchedBy, error } = grader.grade(text, problem.answer);
  const weight = Number(config['format_weight'] ?? FORMAT_WEIGHT.default);
  const parts = { accuracy: correct ? 1 : 0, format: format ? weight : 0 };
  return {
    total: parts.accuracy + parts.format,
    parts,
    correct,
    format,
    extracted,
    ...(matchedBy === undefined ? {} : { matchedBy }),
    ...(error === undefined ? {} : { error }),
  };
}

function formOf(settings: Extract<GraderSettings, { kind: 'code' }>): (answer: string) => string {
  return (answer) => settings.form.replaceAll('{answer}', () => answer);
}

/**
 * The task that `definition` describes, named `own:NAME`. `program` scores the rows of a task whose grader is code; without it such a task
 * can be asked but not scored.
 * Throws an error that says what to do where the definition is not sound (`ownTaskErrors`).
 */
export function customTask(definition: CustomTask, program: ScoreProgram | null = null): Task {
  const errors = ownTaskErrors(definition);
  if (errors.length > 0) throw new Error(`${CUSTOM_PREFIX}${definition.name}: ${errors.join(' ')}`);
  const { name: ownName, rows, grader: settings, system } = definition;
  const name = `${CUSTOM_PREFIX}${ownName}`;
  const { sides, distinct, answers } = rowFacts(rows);
  const rowAt = rowStream(sides);
  const grader = settings.kind === 'code' ? null : graderOf(settings);
  const worked =
    settings.kind === 'code' ? formOf(settings) : (answer: string) => grader?.worked(answer) ?? answer;
  return {
    name,
    title: ownName,
    summary: `Your own task: ${rows.length.toLocaleString('en')} rows.`,
    source: 'rows of your own',
    family: 'own',
    fields: { format_weight: FORMAT_WEIGHT },
    defaults: { format_weight: FORMAT_WEIGHT.default },
    levels: [{}],
    starter: null,
    definition,
    checkConfig: () => null,
    space: () => (distinct < SMALL_SPACE ? distinct : null),
    generate(seed, split, index) {
      const { question, answer } = rowAt(seed, split, index);
      return { task: name, split, index, question, compact: question, answer, data: null };
    },
    messages: (problem, style) => [
      ...(system === '' || style === 'compact' ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user' as const, content: problem.question },
    ],
    score(problem, completion, { config }) {
      if (grader === null)
        throw new Error(
          `${name} is scored by a program of its own, all completions of a step at once (scoreAll).`,
        );
      return gradedScore(grader, problem, completion, config);
    },
    ...(settings.kind === 'code' && program !== null
      ? { scoreAll: (items) => program(settings.source, items) }
      : {}),
    workedAnswer: (problem) => worked(problem.answer),
    demonstration(problem, draw) {
      const wrong = draw() < WRONG_ENDING_RATE;
      return worked(wrong ? pick(draw, answers) : problem.answer);
    },
  };
}
