/**
 * Tasks after reasoning-gym's datasets (open-thought, Apache-2.0). Settings, fields, forms of answers and scores are the same; texts and
 * random streams are our own.
 */
import type { Draw } from '@rl-playground/base/random';
import * as z from 'zod';
import { askedAfter, defineTask } from '../../define.ts';
import { stripSpace } from '../../python/text.ts';
import { judged, withFault } from '../../reason.ts';
import { rightPieces, STEP_WEIGHT_FIELD, withSteps } from '../../stepReward.ts';
import { choice, real, type ConfigOf, type TaskFields } from '../../fields.ts';
import type {
  DrawnProblem,
  Problem,
  Reward,
  ScoringMode,
  ScoringSettings,
  Task,
  TaskDefinition,
} from '../../types.ts';
import { extractAnswer, formatScore, formFault, tagShare } from './answerTag.ts';
import { sampledSpace } from './space.ts';
import { textScore } from './scoring.ts';

/** A dataset's item, as reasoning-gym writes it. */
export interface GymEntry<Metadata = unknown> {
  readonly question: string;
  /** The answer; null if a dataset has no single one. */
  readonly answer: string | null;
  readonly metadata: Metadata;
}

/** An item as definitions see it: without an answer of its own, the answer is empty. */
export interface AnsweredEntry<Metadata = unknown> extends GymEntry<Metadata> {
  readonly answer: string;
}

/** The share of demonstrations with the answer between tags; the others end in `Answer: …`. */
export const TAG_RATE = 0.85;

type Described =
  | 'name'
  | 'title'
  | 'summary'
  | 'family'
  | 'levels'
  | 'fields'
  | 'ordered'
  | 'checkConfig'
  | 'space';

export interface GymDefinition<Fields extends TaskFields, Schema extends z.ZodType> extends Pick<
  TaskDefinition<Fields, unknown>,
  Described
> {
  /**
   * Makes the schema of the metadata that scoring needs, under upstream's names; a problem's `data` has the same form. It is made when the
   * first item from outside is scored, because making those of all tasks would keep the page waiting.
   */
  readonly metadata?: (zod: typeof z) => Schema;
  /** Says whether settings may leave few problems, which are then counted by drawing. */
  mayBeFew?(config: ConfigOf<Fields>): boolean;
  draw(draw: Draw, config: ConfigOf<Fields>): DrawnProblem<z.output<Schema>>;
  /** The score from 0 to 1; the default is the base score. It never throws in `strict` mode; in `upstream` mode it throws like upstream. */
  scoreAnswer?(candidate: string, entry: AnsweredEntry<z.output<Schema>>, mode: ScoringMode): number;
  /** Upstream's score without a candidate; the default is 0. */
  readonly scoreOfNothing?: number;
  /** Easy steps that lead to the answer, for demonstrations. */
  steps?(entry: AnsweredEntry<z.output<Schema>>): string;
}

export interface GymTask extends Task {
  /** Scores a candidate for an item from outside. Throws a ZodError where scoring needs metadata that can't be read. */
  grade(entry: GymEntry, candidate: string | null, mode: ScoringMode): number;
}

const SYSTEM_PROMPT = `You are given one problem. Work through it in small steps and show them. Then write the final answer once, between <answer> and </answer>, with nothing but the answer inside and nothing after it. Where the problem shows an example of the form, keep to that form exactly.`;

/** The prompt is modelled on reasoning-gym's `DeepSeekZero`. */
const THINK_PROMPT = `You are given one problem. First think it through, and write your thoughts between <think> and </think>. Then write the final answer once, between <answer> and </answer>, with nothing but the answer inside and nothing after it, like this:
<think> your thoughts </think>
<answer>your answer</answer>
Where the problem shows an example of the form, keep to that form exactly.`;

/** reasoning-gym calls the system prompt so. */
const DEVELOPER_PROMPT = choice<'steps' | 'think'>(
  'System prompt',
  'What a model that reads English is told to write in front of its answer.',
  { steps: 'Steps, then the answer', think: 'Thoughts between <think> and </think>, then the answer' },
  'steps',
);

const FORMAT_WEIGHT = real(
  'Weight of the format',
  'What an answer in the right form earns on top of its score, whether right or wrong.',
  0,
  10,
  0.2,
);

const entryOf = ({ question, answer, data }: Problem): AnsweredEntry => ({
  question,
  answer,
  metadata: data,
});

/** An item from outside whose metadata is checked when scoring looks at it: many scores need the answer alone. */
function readWhenAsked(
  { question, answer, metadata }: GymEntry,
  schemaOf: () => z.ZodType | undefined,
): AnsweredEntry {
  let read: { readonly metadata: unknown } | null = null;
  return {
    question,
    answer: answer ?? '',
    get metadata() {
      if (read === null) {
        const schema = schemaOf();
        read = { metadata: schema === undefined ? metadata : schema.parse(metadata) };
      }
      return read.metadata;
    },
  };
}

/** Letters of a true answer that a reason names; a longer one stands in the row's head. */
const MOST_NAMED = 24;

/** The ending of a demonstration without tags. */
const PLAIN_ENDING = 'Answer:';

/** The steps, if there are any, and the ending on a line below them. */
const stepsAndEnding = (steps: string, ending: string, { think }: Pick<Problem, 'think'>): string =>
  think === true ? `<think>${steps}</think>\n${ending}` : `${steps}${steps === '' ? '' : '\n'}${ending}`;

/** The work in front of the answer, up to either ending of demonstrations, or inside the thought. */
function workOf(text: string, { think }: Pick<Problem, 'think'>): string {
  const ends = think === true ? ['</think>'] : ['<answer>', PLAIN_ENDING];
  const places = ends.map((ending) => text.indexOf(ending)).filter((at) => at >= 0);
  const work = stripSpace(text.slice(0, Math.min(text.length, ...places)));
  return think === true && work.startsWith('<think>') ? stripSpace(work.slice('<think>'.length)) : work;
}

/** `upstream` counts tags, wherever they stand. */
const tagFault = (share: number): string | null => (share === 1 ? null : `${share * 4} of 4 tags`);

/** Many problems have more than one right answer, so a wrong one is not held against the one that is known. */
function reasonFor(accuracy: number, read: string | null, { answer }: Problem, fault: string | null): string {
  const only = answer.length <= MOST_NAMED ? { truth: answer } : {};
  const verdict =
    accuracy > 0 && accuracy < 1
      ? `partly right: score ${Number(accuracy.toPrecision(2))} of 1`
      : judged({ correct: accuracy >= 1, read, ...only });
  return withFault(verdict, fault);
}

/** A task from what one of reasoning-gym's datasets asks and how it scores. */
export function defineGymTask<Fields extends TaskFields, Schema extends z.ZodType = z.ZodType>(
  definition: GymDefinition<Fields, Schema>,
): GymTask {
  const gym = definition as unknown as GymDefinition<TaskFields, z.ZodType>;
  const scoreAnswer = (candidate: string, entry: AnsweredEntry, mode: ScoringMode): number =>
    gym.scoreAnswer?.(candidate, entry, mode) ?? textScore(candidate, entry.answer, mode);
  let schema: z.ZodType | undefined;
  const metadataSchema = (): z.ZodType | undefined => (schema ??= gym.metadata?.(z));
  const stepsOf = (problem: Problem): string => gym.steps?.(entryOf(problem)) ?? '';

  /** The score of a candidate. An error of upstream's earns nothing, and the run goes on. */
  function accuracyOf(
    candidate: string,
    problem: Problem,
    mode: ScoringMode,
  ): { accuracy: number; error?: string } {
    try {
      return { accuracy: scoreAnswer(candidate, entryOf(problem), mode) };
    } catch (error) {
      if (mode === 'strict' || !(error instanceof Error)) throw error;
      return { accuracy: 0, error: error.message };
    }
  }

  function score(problem: Problem, text: string, { mode, config }: ScoringSettings): Reward {
    const extracted = extractAnswer(text);
    const { accuracy, ...error }: { accuracy: number; error?: string } =
      extracted === null ? { accuracy: 0 } : accuracyOf(extracted, problem, mode);
    const fault = formFault(text);
    const form = mode === 'strict' ? (fault === null ? 1 : 0) : tagShare(text);
    const parts = { accuracy, format: Number(config['format_weight']) * form };
    const total = parts.accuracy + parts.format;
    const reward = {
      total,
      parts,
      correct: accuracy >= 1,
      format: form === 1,
      reason:
        error.error ?? reasonFor(accuracy, extracted, problem, mode === 'strict' ? fault : tagFault(form)),
      ...(mode === 'upstream' && { formatScore: formatScore(text) }),
      extracted,
      ...error,
    };
    return withSteps(reward, Number(config['step_weight'] ?? 0), () =>
      rightPieces(workOf(text, problem), stepsOf(problem)),
    );
  }

  const task = defineTask({
    ...gym,
    source: 'reasoning-gym',
    fields: {
      ...gym.fields,
      developer_prompt: DEVELOPER_PROMPT,
      format_weight: FORMAT_WEIGHT,
      ...(gym.steps === undefined ? {} : { step_weight: STEP_WEIGHT_FIELD }),
    },
    space: (config) =>
      gym.mayBeFew?.(config) === true
        ? sampledSpace(`${gym.name} ${JSON.stringify(config)}`, (draw) => gym.draw(draw, config).key)
        : (gym.space?.(config) ?? null),
    draw: (draw, config) => {
      const think = config['developer_prompt'] === 'think';
      return think ? { ...gym.draw(draw, config), think } : gym.draw(draw, config);
    },
    messages: (problem) => askedAfter(problem.think === true ? THINK_PROMPT : SYSTEM_PROMPT)(problem),
    score: (problem, { text }, settings) => score(problem, text, settings),
    workedAnswer: (problem) =>
      stepsAndEnding(stepsOf(problem), `<answer>${problem.answer}</answer>`, problem),
    demonstration: (problem, draw) =>
      stepsAndEnding(
        stepsOf(problem),
        draw() < TAG_RATE ? `<answer>${problem.answer}</answer>` : `${PLAIN_ENDING} ${problem.answer}`,
        problem,
      ),
  });
  return {
    ...task,
    grade: (entry, candidate, mode) =>
      candidate === null
        ? mode === 'upstream'
          ? (gym.scoreOfNothing ?? 0)
          : 0
        : scoreAnswer(candidate, readWhenAsked(entry, metadataSchema), mode),
  };
}
