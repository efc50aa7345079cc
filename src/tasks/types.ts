/** What a task is, and the records that pass between a task, the sampler and the trainer. */

export const TASK_NAMES = ['sum_digits', 'reverse_digits'] as const;
export type TaskName = (typeof TASK_NAMES)[number];

/** Problems are split by a hash of the problem itself, so the two sets are disjoint by construction. */
export type Split = 'train' | 'eval';

/** `full`: system prompt with a worked example, for models that can read it. `compact`: for the starter model. */
export type PromptStyle = 'full' | 'compact';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface Problem {
  readonly task: TaskName;
  readonly split: Split;
  /** Position in the stream of its (seed, split): the same three numbers always give the same problem. */
  readonly index: number;
  /** The integers the question is about. */
  readonly numbers: readonly number[];
  /** The true answer as a canonical decimal string. */
  readonly answer: string;
}

/** Why a completion ended: end-of-sequence token, stop string, token budget, or a failed generator. */
export type StopReason = 'eos' | 'stop' | 'max_tokens' | 'error';

export interface Completion {
  readonly text: string;
  readonly stopReason: StopReason;
}

/** `tag_required`: +1 needs the right number and the literal tag (the Monarch code). `correct_only`: its README. */
export const REWARD_RULES = ['tag_required', 'correct_only'] as const;
export type RewardRule = (typeof REWARD_RULES)[number];

/** The stage of the extraction chain that found the answer. */
export type MatchedBy = 'tag' | 'phrase' | 'equals' | 'last' | 'none';

export interface Reward {
  readonly total: number;
  /** Named summands of `total`. */
  readonly parts: Readonly<Record<string, number>>;
  readonly correct: boolean;
  readonly format: boolean;
  /** The number that was read out of the text, canonical decimal, or null. */
  readonly extracted: string | null;
  readonly matchedBy: MatchedBy;
}

export interface Task {
  readonly name: TaskName;
  readonly title: string;
  readonly summary: string;
  /** The `index`-th problem of the stream named by (seed, split). Pure. */
  generate(seed: number, split: Split, index: number): Problem;
  messages(problem: Problem, style: PromptStyle): ChatMessage[];
  score(problem: Problem, completion: Completion, rule: RewardRule): Reward;
  /** A perfect answer in the style of the demonstrations. */
  workedAnswer(problem: Problem): string;
  /**
   * An answer a starter model is warmed up on: decomposed into easy steps, imperfect on purpose.
   * `draw` yields uniform numbers in [0, 1) that decide the imperfections.
   */
  demonstration(problem: Problem, draw: () => number): string;
}
