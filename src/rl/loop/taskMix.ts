/** What a run asks: one task or a weighted mixture, each part at its level of difficulty. */
import type { RunConfig } from '../../config/schema.ts';
import { MIXTURE, taskByName } from '../../tasks/index.ts';
import { drawsFor } from '../../base/random.ts';
import type { Problem, ScoringSettings, Split, Task, TaskConfig } from '../../tasks/types.ts';

/** One task of a run. */
export interface MixTask {
  readonly task: Task;
  /** Share of the run's problems; the shares sum to 1. */
  readonly share: number;
  /** Every field of the task. */
  readonly config: TaskConfig;
}

/** Keeps the choice of a part apart from every other draw. */
const MIXTURE_STREAM = 0x3137;

/** The tasks of a run. Throws where one of them is not on this page. */
export function taskMix(config: Pick<RunConfig, 'task' | 'taskConfig' | 'mixture'>): MixTask[] {
  const parts =
    config.task === MIXTURE ? config.mixture : [{ task: config.task, weight: 1, config: config.taskConfig }];
  const sum = parts.reduce((total, { weight }) => total + weight, 0);
  return parts.map((part) => {
    const task = taskByName(part.task);
    return { task, share: part.weight / sum, config: { ...task.defaults, ...part.config } };
  });
}

/** The settings of a part at a level of its curriculum; 0 is the easiest. */
export function atLevel({ task, config }: MixTask, level: number | null): TaskConfig {
  return level === null ? config : { ...config, ...task.levels[level] };
}

export interface MixProblem {
  readonly problem: Problem;
  /** Index of its task among those of the run. */
  readonly part: number;
}

/**
 * The `index`-th training problem of a run: its part is drawn by the shares from (seed, index), and the problem from the part's own
 * stream. `levels`: one per part, or null without a curriculum. Pure.
 */
export function trainingProblem(
  parts: readonly MixTask[],
  levels: readonly number[] | null,
  seed: number,
  index: number,
): MixProblem {
  const at = parts.length === 1 ? 0 : drawsFor(seed, MIXTURE_STREAM, index)();
  let passed = 0;
  let part = parts.findIndex(({ share }) => {
    passed += share;
    return at < passed;
  });
  // The shares may sum to a hair less than 1.
  if (part < 0) part = parts.length - 1;
  const asked = partOf(parts, part);
  const problem = asked.task.generate(seed, 'train', index, atLevel(asked, levels?.[part] ?? null));
  return { problem, part };
}

/** How many of `samples` problems each part gets: by share, every part at least one if there are enough. */
export function evaluationCounts(parts: readonly MixTask[], samples: number): number[] {
  const enough = samples >= parts.length;
  const counts: number[] = parts.map(() => (enough ? 1 : 0));
  for (let left = enough ? samples - parts.length : samples; left > 0; left--) {
    const missing = parts.map(({ share }, i) => share * samples - (counts[i] ?? 0));
    const next = missing.indexOf(Math.max(...missing));
    counts[next] = (counts[next] ?? 0) + 1;
  }
  return counts;
}

/** A fixed set of held-out problems: the first of each part's evaluation stream, at the run's own settings. */
export function heldOutProblems(parts: readonly MixTask[], samples: number, seed: number): MixProblem[] {
  return evaluationCounts(parts, samples).flatMap((count, part) => {
    const { task, config } = partOf(parts, part);
    const split: Split = 'eval';
    return Array.from({ length: count }, (_, i) => ({
      part,
      problem: task.generate(seed, split, i, config),
    }));
  });
}

/** How a part's completions are scored. */
export function scoringOf(part: MixTask, mode: ScoringSettings['mode']): ScoringSettings {
  return { mode, config: part.config };
}

export function partOf(parts: readonly MixTask[], index: number): MixTask {
  const part = parts[index];
  if (part === undefined)
    throw new Error(`The run has ${parts.length} tasks; there is none at index ${index}.`);
  return part;
}
