/**
 * Tasks after reasoning-gym's datasets (open-thought, Apache-2.0). Settings, fields, forms of answers and scores are the same; texts and
 * random streams are our own.
 */
import type { Draw } from '@rl-playground/base/random';
import * as z from 'zod';
import { askedAfter, defineTask } from '../../define/define.ts';
import { stripSpace } from '../../python/text.ts';
import { judged, withFault } from '../../define/reason.ts';
import { rightPieces, STEP_WEIGHT_FIELD, withSteps } from '../../define/stepReward.ts';
import { choice, real, type ConfigOf, type TaskFields } from '../../define/fields.ts';
import type {
  DrawnProblem,
  Problem,
  Reward,
  ScoringMode,
  ScoringSettings,
  Task,
  TaskDefinition,
} from '../../define/types.ts';
import { extractAnswer, formatScore, formFault, tagShare } from './answerTag.ts';
import { sampledSpace } from './space.ts';
import { textScore } from './scoring.ts';

/** The fields of a task's settings, for the files of the tasks. */
export * from '../../define/fields.ts';

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

type Made = 'source' | 'draw' | 'messages' | 'score' | 'working' | 'workedAnswer' | 'demonstration';

/** The makers of schemas that metadata need. Handing over all of zod would keep the bundler from leaving out its other parts. */
const MAKERS = {
  array: z.array,
  number: z.number,
  string: z.string,
  tuple: z.tuple,
};

type Loose<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape, z.core.$loose>>;

/** The metadata that a definition's `metadata` describes. */
export type MetadataOf<Made extends () => z.ZodRawShape> = Loose<ReturnType<Made>>;

export interface GymDefinition<
  Fields extends TaskFields,
  Shape extends z.ZodRawShape,
  Data extends Loose<Shape>,
> extends Omit<TaskDefinition<Fields, unknown>, Made> {
  /**
   * Makes the schemas of the metadata that scoring needs, under upstream's names; a problem's `data` has them too. They are made when the
   * first item from outside is scored, because making those of all tasks would keep the page waiting.
   */
  readonly metadata?: (zod: typeof MAKERS) => Shape;
  /** Says whether settings may leave few problems, which are then counted by drawing. */
  mayBeFew?(config: ConfigOf<Fields>): boolean;
  draw(draw: Draw, config: ConfigOf<Fields>): DrawnProblem<Data>;
  /** The score from 0 to 1; the default is the base score. It never throws in `strict` mode; in `upstream` mode it throws like upstream. */
  scoreAnswer?(candidate: string, entry: AnsweredEntry<Loose<Shape>>, mode: ScoringMode): number;
  /** Upstream's score without a candidate; the default is 0. */
  readonly scoreOfNothing?: number;
  /** Easy steps that lead to the answer, for demonstrations. */
  steps?(problem: Pick<Problem<Data>, 'answer' | 'data'>): string;
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
  { steps: 'Working, then the answer', think: 'Thoughts between <think> and </think>, then the answer' },
  'steps',
);

const FORMAT_WEIGHT = real(
  'Weight of the format',
  'What an answer in the right format earns on top of its score, whether right or wrong.',
  0,
  10,
  0.2,
);

type Entry = AnsweredEntry<Loose<z.ZodRawShape>>;

const entryOf = ({ question, answer, data }: Problem): Entry => ({
  question,
  answer,
  metadata: data as Entry['metadata'],
});

/** An item from outside. Its metadata is checked when scoring looks at it, because many scores need the answer alone. */
function readWhenAsked({ question, answer, metadata }: GymEntry, schemaOf: () => z.ZodObject): Entry {
  let read: Entry['metadata'] | null = null;
  return {
    question,
    answer: answer ?? '',
    get metadata() {
      return (read ??= schemaOf().parse(metadata));
    },
  };
}

/** The length of the longest true answer that a reason names; a longer one is in the row's head. */
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

/** The fault of a text with too few tags; `upstream` counts tags anywhere in it. */
const tagFault = (share: number): string | null => (share === 1 ? null : `${share * 4} of 4 tags`);

/** Many problems have more than one right answer, so a wrong one is not held against the one that is known. */
function reasonFor(accuracy: number, read: string | null, { answer }: Problem, fault: string | null): string {
  const only = answer.length <= MOST_NAMED ? { truth: answer } : {};
  const verdict =
    accuracy > 0 && accuracy < 1
      ? `Partly right: ${Number(accuracy.toPrecision(2))} of 1.`
      : judged({ correct: accuracy >= 1, read, ...only });
  return withFault(verdict, fault);
}

interface Accuracy {
  readonly accuracy: number;
  readonly error?: string;
}

/** A task from what one of reasoning-gym's datasets asks and how it scores. */
export function defineGymTask<
  Fields extends TaskFields,
  Shape extends z.ZodRawShape = z.ZodRawShape,
  Data extends Loose<Shape> = Loose<Shape>,
>(definition: GymDefinition<Fields, Shape, Data>): GymTask {
  const gym = definition as unknown as GymDefinition<TaskFields, z.ZodRawShape, Entry['metadata']>;
  const scoreAnswer = (candidate: string, entry: Entry, mode: ScoringMode): number =>
    gym.scoreAnswer?.(candidate, entry, mode) ?? textScore(candidate, entry.answer, mode);
  let schema: z.ZodObject | undefined;
  const metadataSchema = (): z.ZodObject => (schema ??= z.looseObject(gym.metadata?.(MAKERS) ?? {}));
  const stepsOf = ({ answer, data }: Problem): string =>
    gym.steps?.({ answer, data: data as Entry['metadata'] }) ?? '';

  /** The score of a candidate. An error of upstream's earns nothing, and the run goes on. */
  function accuracyOf(candidate: string, problem: Problem, mode: ScoringMode): Accuracy {
    try {
      return { accuracy: scoreAnswer(candidate, entryOf(problem), mode) };
    } catch (error) {
      if (mode === 'strict' || !(error instanceof Error)) throw error;
      return { accuracy: 0, error: error.message };
    }
  }

  function score(problem: Problem, text: string, { mode, config }: ScoringSettings): Reward {
    const extracted = extractAnswer(text);
    const { accuracy, ...error }: Accuracy =
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

  function working(problem: Problem, text: string): number | null {
    const [work, steps] = [workOf(text, problem), stepsOf(problem)];
    return work === '' || steps === '' ? null : rightPieces(work, steps);
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
    ...(gym.steps !== undefined && { working }),
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
