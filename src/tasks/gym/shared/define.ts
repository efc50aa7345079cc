/**
 * Tasks after reasoning-gym's datasets (open-thought, Apache-2.0): the same settings, fields, answer formats and scores; texts and
 * random streams of our own.
 */
import type * as z from 'zod';
import { demonstrateInTags, type Imperfections } from './demonstration.ts';
import { defineTask } from '../../define.ts';
import { real, type TaskField } from '../../fields.ts';
import type {
  DrawnProblem,
  Problem,
  Reward,
  ScoringMode,
  ScoringSettings,
  Task,
  TaskConfig,
  TaskDefinition,
} from '../../types.ts';
import { extractAnswer, hasAnswerForm, tagShare } from './answerTag.ts';

/** A dataset's item, as reasoning-gym writes it. */
export interface GymEntry<Metadata = unknown> {
  readonly question: string;
  /** Null where a dataset has no single answer. */
  readonly answer: string | null;
  readonly metadata: Metadata;
}

type Described =
  'name' | 'title' | 'summary' | 'family' | 'levels' | 'starter' | 'fields' | 'checkConfig' | 'space';

export interface GymDefinition<Config extends TaskConfig, Metadata> extends Pick<
  TaskDefinition<Config, Metadata>,
  Described
> {
  /** What scoring needs of an item's metadata, under upstream's names; a problem's `data` is the same. */
  readonly metadata: z.ZodType<Metadata>;
  draw(draw: () => number, config: Config): DrawnProblem<Metadata>;
  /** 0 to 1. Never throws in `strict` mode; in `upstream` mode it throws where upstream raises. */
  scoreAnswer(candidate: string | null, entry: GymEntry<Metadata>, mode: ScoringMode): number;
  /** Easy steps that lead to the answer, for demonstrations. */
  steps?(entry: GymEntry<Metadata>): string;
  /** A likely mistake: an answer that is wrong, in the right form. */
  wrongAnswer?(entry: GymEntry<Metadata>, draw: () => number): string;
  /** Where this task's demonstrations are imperfect in another measure than usual. */
  readonly imperfections?: Partial<Imperfections>;
}

export interface GymTask extends Task {
  /** Scores a candidate for an item from outside. Throws a ZodError where scoring needs metadata that can't be read. */
  grade(entry: GymEntry, candidate: string | null, mode: ScoringMode): number;
}

const SYSTEM_PROMPT = `You are given one problem. Work through it in small steps and show them. Then write the final answer once, between <answer> and </answer>, with nothing but the answer inside and nothing after it. Where the problem shows an example of the form, keep to that form exactly.`;

const FORMAT_WEIGHT = real(
  'Weight of the format',
  'What an answer in the right form earns on top of its score, whether right or wrong.',
  0,
  10,
  0.2,
);

const entryOf = <Metadata>({ question, answer, data }: Problem<Metadata>): GymEntry<Metadata> => ({
  question,
  answer,
  metadata: data,
});

/** An item from outside whose metadata is checked when scoring looks at it: many scores need the answer alone. */
function readWhenAsked<Metadata>(entry: GymEntry, schema: z.ZodType<Metadata>): GymEntry<Metadata> {
  let read: { readonly metadata: Metadata } | null = null;
  return {
    question: entry.question,
    answer: entry.answer,
    get metadata() {
      read ??= { metadata: schema.parse(entry.metadata) };
      return read.metadata;
    },
  };
}

/** A task from what one of reasoning-gym's datasets asks and how it scores. */
export function defineGymTask<Config extends TaskConfig, Metadata>(
  gym: GymDefinition<Config, Metadata>,
): GymTask {
  type FullConfig = Config & { readonly format_weight: number };

  /** Where upstream raises, an answer earns nothing, and the run goes on. */
  function accuracyOf(
    candidate: string,
    problem: Problem<Metadata>,
    mode: ScoringMode,
  ): { accuracy: number; error?: string } {
    try {
      return { accuracy: gym.scoreAnswer(candidate, entryOf(problem), mode) };
    } catch (error) {
      if (mode === 'strict' || !(error instanceof Error)) throw error;
      return { accuracy: 0, error: error.message };
    }
  }

  function score(problem: Problem<Metadata>, text: string, settings: ScoringSettings<FullConfig>): Reward {
    const { mode, config } = settings;
    const extracted = extractAnswer(text);
    const { accuracy, ...error } =
      extracted === null ? { accuracy: 0 } : accuracyOf(extracted, problem, mode);
    const form = mode === 'strict' ? (hasAnswerForm(text) ? 1 : 0) : tagShare(text);
    const parts = { accuracy, format: config.format_weight * form };
    const total = parts.accuracy + parts.format;
    return { total, parts, correct: accuracy >= 1, format: form === 1, extracted, ...error };
  }

  const task = defineTask<FullConfig, Metadata>({
    name: gym.name,
    title: gym.title,
    summary: gym.summary,
    source: 'reasoning-gym',
    family: gym.family,
    levels: gym.levels as readonly Partial<FullConfig>[],
    starter: gym.starter as TaskDefinition<FullConfig, Metadata>['starter'],
    fields: { ...gym.fields, format_weight: FORMAT_WEIGHT } as {
      readonly [Key in keyof FullConfig]: TaskField<FullConfig[Key]>;
    },
    checkConfig: (config) => gym.checkConfig?.(config) ?? null,
    space: (config) => gym.space?.(config) ?? null,
    draw: (draw, config) => gym.draw(draw, config),
    messages: ({ question }) => [
      { role: 'system', content: SYSTEM_PROMPT },
      { role: 'user', content: question },
    ],
    score: (problem, { text }, settings) => score(problem, text, settings),
    workedAnswer(problem) {
      const steps = gym.steps?.(entryOf(problem)) ?? '';
      return `${steps}${steps === '' ? '' : '\n'}<answer>${problem.answer}</answer>`;
    },
    demonstration(problem, draw) {
      const entry = entryOf(problem);
      return demonstrateInTags(
        gym.steps?.(entry) ?? '',
        problem.answer,
        (more) => gym.wrongAnswer?.(entry, more) ?? problem.answer,
        gym.imperfections ?? {},
        draw,
      );
    },
  });
  return {
    ...task,
    grade: (entry, candidate, mode) => gym.scoreAnswer(candidate, readWhenAsked(entry, gym.metadata), mode),
  };
}
