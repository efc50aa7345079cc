/** Makes the task that the app knows out of what a task's file says. */
import { fieldError, type TaskFields } from './fields.ts';
import { drawProblem } from './split.ts';
import { STARTERS } from './starters.ts';
import type { ChatMessage } from '@rl-playground/base/conversation';
import type {
  Problem,
  Reward,
  ScoredItem,
  ScoringSettings,
  Task,
  TaskConfig,
  TaskDefinition,
} from './types.ts';

/** The errors of a task's settings, one sentence for each setting. */
export function taskConfigErrors(task: Task, config: TaskConfig): string[] {
  const errors: string[] = [];
  for (const key of Object.keys(config)) {
    const field = Object.hasOwn(task.fields, key) ? task.fields[key] : undefined;
    if (field === undefined) {
      const known = Object.keys(task.fields).join(', ') || 'none';
      errors.push(`${key}: ${task.name} has no such setting; its settings are: ${known}.`);
      continue;
    }
    const error = fieldError(field, config[key]);
    if (error !== null) errors.push(`${key}: ${error}`);
  }
  if (errors.length > 0) return errors;
  const between = task.checkConfig({ ...task.defaults, ...config });
  return between === null ? [] : [between];
}

/** The error of the first pair whose first field exceeds its second, or null. */
function outOfOrder(
  config: TaskConfig,
  pairs: readonly (readonly [low: string, high: string])[],
): string | null {
  for (const [low, high] of pairs) {
    const [least, most] = [Number(config[low]), Number(config[high])];
    if (least > most) return `${low}: ${least} is more than ${high}, ${most}; choose at most ${most}.`;
  }
  return null;
}

/** The pairs `min_…` and `max_…` of a task's fields. */
function rangesOf(fields: TaskFields): (readonly [low: string, high: string])[] {
  return Object.keys(fields)
    .map((low) => [low, low.replace(/^min_/, 'max_')] as const)
    .filter(([low, high]) => low !== high && Object.hasOwn(fields, high));
}

/** If there are fewer problems, a form mentions their number, because they soon come again. */
const FEW_PROBLEMS = 2000;

/** The number of problems, rounded, where a form should mention it; otherwise null. */
export function smallSpace(count: number): number | null {
  return count < FEW_PROBLEMS ? Math.round(count) : null;
}

/** A task's `messages` where the question follows a system prompt. */
export const askedAfter =
  (system: string) =>
  ({ question }: Pick<Problem, 'question'>): ChatMessage[] => [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];

/** A task from its definition. `Data` and the type of its settings are known only inside it. */
export function defineTask<Fields extends TaskFields, Data>(definition: TaskDefinition<Fields, Data>): Task {
  const task = definition as unknown as TaskDefinition<TaskFields, unknown>;
  const { name, title, summary, source, family, fields, levels, ordered = rangesOf(fields) } = task;
  return {
    name,
    title,
    summary,
    source,
    family,
    fields,
    defaults: Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.default])),
    levels: levels as readonly TaskConfig[],
    starter: STARTERS[name] ?? null,
    checkConfig: (config) => outOfOrder(config, ordered) ?? task.checkConfig?.(config) ?? null,
    space: (config) => smallSpace(task.space?.(config) ?? Infinity),
    generate: (seed, split, index, config) =>
      drawProblem(name, { seed, split, index }, (draw) => task.draw(draw, config)),
    messages: (problem, style) =>
      style === 'compact' ? [{ role: 'user', content: problem.compact }] : task.messages(problem),
    score: (problem, completion, settings) => task.score(problem, completion, settings),
    ...(task.working && {
      working: (problem: Problem, text: string) => task.working?.(problem, text) ?? null,
    }),
    workedAnswer: (problem) => task.workedAnswer(problem),
    demonstration: (problem, draw) => task.demonstration(problem, draw),
  };
}

/** The rewards of `items`, in order, however the task scores. */
export async function scoreItems(
  task: Task,
  items: readonly ScoredItem[],
  settings: ScoringSettings,
): Promise<Reward[]> {
  return task.scoreAll === undefined
    ? items.map(({ problem, completion }) => task.score(problem, completion, settings))
    : task.scoreAll(items, settings);
}
