/** A task, and the records that pass between a task, the sampler and the trainer. */
import type { ChatMessage, StopReason } from '@rl-playground/base/conversation';
import type { Draw } from '@rl-playground/base/random';
import type { ConfigOf, TaskField, TaskFields } from './fields.ts';
import type { CustomTask, DataOrigin } from './definition.ts';

/** Problems are split by a hash of the problem itself, so the two sets are disjoint by construction. */
export type Split = 'train' | 'eval';

/** `full`: English, with a system prompt, for models that can read it. `compact`: for the bundled starter models. */
export type PromptStyle = 'full' | 'compact';

export type TaskValue = TaskField['default'];
/** A task's own settings by field name; reasoning-gym's names where the task is one of its datasets. */
export type TaskConfig = Readonly<Record<string, TaskValue>>;

/** A drawn problem, before it has a place in a stream. `Data` is JSON. */
export interface DrawnProblem<Data = unknown> {
  /** The question for a model that reads English. */
  readonly question: string;
  /** The question for a starter model; `question` if absent. */
  readonly compact?: string;
  /** A right answer in its canonical form. */
  readonly answer: string;
  /** The data that scoring and demonstrations need. */
  readonly data: Data;
  /** The problem without its wording, which decides the split; `question` if absent. */
  readonly key?: string;
  /** The problem asks for a thought in front of the answer. */
  readonly think?: boolean;
}

export interface Problem<Data = unknown> {
  readonly task: string;
  readonly split: Split;
  /** Position in the stream of its (seed, split): these and the settings always give the same problem. */
  readonly index: number;
  readonly question: string;
  readonly compact: string;
  readonly answer: string;
  readonly data: Data;
  /** The problem asks for a thought between `<think>` and `</think>` in front of the answer. */
  readonly think?: true;
}

export interface Completion {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly stopReason: StopReason;
}

/** `upstream` gives the numbers of the original system, leaks included, for comparing. `strict`, the page's default, gives no credit for tricks. */
export const SCORING_MODES = ['strict', 'upstream'] as const;
export type ScoringMode = (typeof SCORING_MODES)[number];

/** The stage of the digit tasks' extraction chain that found the answer. */
export type MatchedBy = 'tag' | 'phrase' | 'equals' | 'last' | 'none';

export interface Reward {
  readonly total: number;
  /** The named summands of `total`. */
  readonly parts: Readonly<Record<string, number>>;
  /** The answer is right altogether, without partial credit. */
  readonly correct: boolean;
  /** The answer has the form that was asked for. */
  readonly format: boolean;
  /** RL for Real's share of the tags of the form, 0 to 1, under `upstream` scoring of its tasks. */
  readonly formatScore?: number;
  /** The reason for the reward, in sentences: `Right, but no [ANSWER].` */
  readonly reason: string;
  /** The text that was read as the answer, or null. */
  readonly extracted: string | null;
  readonly matchedBy?: MatchedBy;
  /** The error of a task's own program, whose share of the total is then 0, or of a reward model. */
  readonly error?: string;
  /** A reward model failed, and not the task's program. */
  readonly ofModel?: true;
  /** The answer counts neither in its group nor in the update: a reward model failed, or the task's program did and its settings ask for this. */
  readonly leftOut?: true;
}

/** A completion to be scored. */
export interface ScoredItem {
  readonly problem: Problem;
  readonly completion: Completion;
}

export interface ScoringSettings<Config extends TaskConfig = TaskConfig> {
  readonly mode: ScoringMode;
  readonly config: Config;
}

export const TASK_FAMILIES = {
  digits: 'Digits',
  arithmetic: 'Arithmetic',
  algebra: 'Algebra',
  words: 'Words and letters',
  numbers: 'Lists of numbers',
  logic: 'Logic',
  games: 'Games and puzzles',
  grids: 'Grids and graphs',
  mathematics: 'Word problems',
  instruct: 'For instruct models',
  own: 'Your own',
} as const;
export type TaskFamily = keyof typeof TASK_FAMILIES;

/** Tasks that the user made carry this before their name, in settings, links and files. */
export const CUSTOM_PREFIX = 'own:';

/** A first run that makes sense without any download. */
export interface StarterRun {
  /** Folder of the bundled model, or the name of one that is made when the run begins. */
  readonly model: string;
  /** The changes to the settings of a first run. */
  readonly config: TaskConfig;
  /** Accuracy rose with every seed tried; if not, the task needs a larger model. */
  readonly learns: boolean;
  /** The expectation that the form shows. */
  readonly expect: string;
}

export interface TaskDefinition<Fields extends TaskFields, Data> {
  /** snake_case; reasoning-gym's where it is one of its datasets. */
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** The system that the task comes from. */
  readonly source: string;
  readonly family: TaskFamily;
  readonly fields: Fields;
  /** Easiest first: what each level of difficulty changes. A curriculum walks them. */
  readonly levels: readonly Partial<ConfigOf<NoInfer<Fields>>>[];
  /** Pairs of number fields the first of which may not exceed the second; by default each `min_…` with its `max_…`. */
  readonly ordered?: readonly (readonly [low: keyof NoInfer<Fields>, high: keyof NoInfer<Fields>])[];
  /** Any other error between fields, with what is needed. It is asked once `ordered` pairs are in order. */
  checkConfig?(config: ConfigOf<Fields>): string | null;
  /** Number of distinct problems, where it is known; the form shows a small one. */
  space?(config: ConfigOf<Fields>): number | null;
  /** Draws one problem. Pure. */
  draw(draw: Draw, config: ConfigOf<Fields>): DrawnProblem<Data>;
  /** The conversation in English; `compact` prompts are one user message with `problem.compact`. */
  messages(problem: Problem<Data>): ChatMessage[];
  score(problem: Problem<Data>, completion: Completion, settings: ScoringSettings<ConfigOf<Fields>>): Reward;
  /** The share of the shown working that is right, 0 to 1; null if none is shown. A task whose working no program can check lacks it. */
  working?(problem: Problem<Data>, text: string): number | null;
  /** A perfect answer in the style of the demonstrations. */
  workedAnswer(problem: Problem<Data>): string;
  /** A right answer that a starter model is shown: decomposed into easy steps, not always in the form. `draw` decides the form. */
  demonstration(problem: Problem<Data>, draw: Draw): string;
}

export interface DatasetRow {
  readonly question: string;
  readonly answer: string;
}

/** Rows that a task asks. Where `test` is empty, one in five is held out by a hash of the question. */
export interface DatasetRows {
  readonly train: readonly DatasetRow[];
  readonly test: readonly DatasetRow[];
  /** The origin, if it is known. */
  readonly origin?: DataOrigin;
}

/** The rows that a run asked of a task, as checkpoints carry them. */
export interface TaskRows extends DatasetRows {
  readonly task: string;
}

/** The rows of a task whose problems are loaded. The task can be asked once rows were provided. */
export interface TaskDataset {
  /** The name on the Hugging Face Hub: owner/name. */
  readonly id: string;
  /** Number of problems for each side; null until rows are provided. */
  counts(): Readonly<Record<Split, number>> | null;
  /** The rows as they were provided, or null before that. */
  rows(): DatasetRows | null;
  /**
   * Replaces the rows. Rows without a readable answer are left out and counted. Throws an error with advice if too few are left; the old
   * rows then stay.
   */
  provide(rows: DatasetRows): { readonly counts: Readonly<Record<Split, number>>; readonly leftOut: number };
}

/** A task as the rest of the app knows it: settings checked, problems split. */
export interface Task extends Pick<
  TaskDefinition<TaskFields, unknown>,
  'name' | 'title' | 'summary' | 'source' | 'family' | 'fields'
> {
  readonly defaults: TaskConfig;
  readonly levels: readonly TaskConfig[];
  readonly starter: StarterRun | null;
  /** The definition of a task of the user's own, which checkpoints carry. */
  readonly definition?: CustomTask;
  /** The rows to load; absent if problems are drawn. */
  readonly dataset?: TaskDataset;
  checkConfig(config: TaskConfig): string | null;
  space(config: TaskConfig): number | null;
  /**
   * The `index`-th problem of the stream (seed, split) under `config`, which has every field. Pure. Throws if the settings leave no problem
   * on that side of the split.
   */
  generate(seed: number, split: Split, index: number, config: TaskConfig): Problem;
  messages(problem: Problem, style: PromptStyle): ChatMessage[];
  /** Scores a completion. Throws if there is `scoreAll`. */
  score(problem: Problem, completion: Completion, settings: ScoringSettings): Reward;
  /** Scores all items in order, for tasks with a program of their own. `scoreItems` asks it. */
  scoreAll?(items: readonly ScoredItem[], settings: ScoringSettings): Promise<Reward[]>;
  /**
   * The share of the shown working that is right, 0 to 1; null if none is shown. A task whose working no program can check lacks it. It reads
   * the working of demonstrations, so it says nothing about a model that works in words of its own.
   */
  working?(problem: Problem, text: string): number | null;
  workedAnswer(problem: Problem): string;
  demonstration(problem: Problem, draw: Draw): string;
}
