/** What a task is, and the records that pass between a task, the sampler and the trainer. */
import type { ChatMessage, StopReason } from '@rl-playground/base/conversation';
import type { Draw } from '@rl-playground/base/random';
import type { ConfigOf, TaskField, TaskFields } from './fields.ts';
import type { CustomTask, DataOrigin } from './custom/definition.ts';

/** Problems are split by a hash of the problem itself, so the two sets are disjoint by construction. */
export type Split = 'train' | 'eval';

/** `full`: English, with a system prompt, for models that can read it. `compact`: for the bundled starter models. */
export type PromptStyle = 'full' | 'compact';

export type TaskValue = TaskField['default'];
/** A task's own settings by field name; reasoning-gym's names where the task is one of its datasets. */
export type TaskConfig = Readonly<Record<string, TaskValue>>;

/** What a task draws: a problem before it has a place in a stream. `Data` is JSON. */
export interface DrawnProblem<Data = unknown> {
  /** As a model that reads English is asked. */
  readonly question: string;
  /** As a starter model is asked; `question` where absent. */
  readonly compact?: string;
  /** One right answer in its canonical form. */
  readonly answer: string;
  /** What scoring and demonstrations need. */
  readonly data: Data;
  /** The same for two problems that are the same, whatever the wording; decides the split. `question` where absent. */
  readonly key?: string;
  /** Whether a thought is asked for in front of the answer, where a task can be told either way. */
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
  /** There and true where a thought between `<think>` and `</think>` is asked for in front of the answer. */
  readonly think?: true;
}

export interface Completion {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly stopReason: StopReason;
}

/**
 * `upstream`: the numbers of the system that a task comes from, leaks included, for comparing. `strict`: the page's
 * default, no credit for tricks.
 */
export const SCORING_MODES = ['strict', 'upstream'] as const;
export type ScoringMode = (typeof SCORING_MODES)[number];

/** The stage of the digit tasks' extraction chain that found the answer. */
export type MatchedBy = 'tag' | 'phrase' | 'equals' | 'last' | 'none';

export interface Reward {
  readonly total: number;
  /** Named summands of `total`. */
  readonly parts: Readonly<Record<string, number>>;
  /** Right altogether: no partial credit. */
  readonly correct: boolean;
  /** In the form that was asked for. */
  readonly format: boolean;
  /** RL for Real's share of the tags of the form, 0 to 1, under `upstream` scoring of its tasks. */
  readonly formatScore?: number;
  /** Why, in a clause: `right, but no [ANSWER]`. */
  readonly reason: string;
  /** What was read out of the text as the answer, or null. */
  readonly extracted: string | null;
  readonly matchedBy?: MatchedBy;
  /** What a task's own program did wrong; the total is 0 then. */
  readonly error?: string;
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
  own: 'Your own',
} as const;
export type TaskFamily = keyof typeof TASK_FAMILIES;

/** Tasks that the user made carry this before their name, in settings, links and files. */
export const CUSTOM_PREFIX = 'own:';

/** A first run that makes sense without any download. */
export interface StarterRun {
  /** Folder of the bundled model, or the name of one that is made when the run begins. */
  readonly model: string;
  /** What the first run's settings change. */
  readonly config: TaskConfig;
  /** Whether accuracy was seen to rise in it, with every seed tried; where not, the task needs a larger model. */
  readonly learns: boolean;
  /** What to expect, for the form. */
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
  /** What else is wrong between fields: what was found, what is needed. Asked once `ordered` pairs are in order. */
  checkConfig?(config: ConfigOf<Fields>): string | null;
  /** Number of distinct problems, where it is known; the form shows a small one. */
  space?(config: ConfigOf<Fields>): number | null;
  /** Draws one problem. Pure. */
  draw(draw: Draw, config: ConfigOf<Fields>): DrawnProblem<Data>;
  /** The conversation in English; `compact` prompts are one user message with `problem.compact`. */
  messages(problem: Problem<Data>): ChatMessage[];
  score(problem: Problem<Data>, completion: Completion, settings: ScoringSettings<ConfigOf<Fields>>): Reward;
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
  /** Absent where it is not known. */
  readonly origin?: DataOrigin;
}

/** The rows that a run asked of a task, as checkpoints carry them. */
export interface TaskRows extends DatasetRows {
  readonly task: string;
}

/** Where a task's problems come from, if they are not drawn but loaded. The task can be asked once rows were provided. */
export interface TaskDataset {
  /** On the Hugging Face Hub: owner/name. */
  readonly id: string;
  /** Number of problems for each side; null until rows are provided. */
  counts(): Readonly<Record<Split, number>> | null;
  /** As they were provided; null until they are. */
  rows(): DatasetRows | null;
  /**
   * Takes rows in the place of those before. Rows without an answer that can be read are left out, and counted.
   * Throws an error that says what to do where too few are left; those before stay.
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
  /** What a task of the user's own is made of; checkpoints carry it. */
  readonly definition?: CustomTask;
  /** Absent where problems are drawn. */
  readonly dataset?: TaskDataset;
  checkConfig(config: TaskConfig): string | null;
  space(config: TaskConfig): number | null;
  /**
   * The `index`-th problem of the stream named by (seed, split) under `config` (every field). Pure.
   * Throws where the settings leave no problem on that side of the split.
   */
  generate(seed: number, split: Split, index: number, config: TaskConfig): Problem;
  messages(problem: Problem, style: PromptStyle): ChatMessage[];
  /** Throws where there is `scoreAll`. */
  score(problem: Problem, completion: Completion, settings: ScoringSettings): Reward;
  /** For tasks scored by a program of their own: the rewards of all items, in order. Asks go through `scoreItems`. */
  scoreAll?(items: readonly ScoredItem[], settings: ScoringSettings): Promise<Reward[]>;
  workedAnswer(problem: Problem): string;
  demonstration(problem: Problem, draw: Draw): string;
}
