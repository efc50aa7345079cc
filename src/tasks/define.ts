/** Makes the task that the app knows out of what a task's file says. */
import { fieldError, type TaskField } from './fields.ts';
import { drawProblem } from './split.ts';
import type { Reward, ScoredItem, ScoringSettings, Task, TaskConfig, TaskDefinition } from './types.ts';

/** What is wrong with a task's settings, one sentence per setting; empty where nothing is. */
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

/** A task from its definition. `Data` and `Config` are known only inside it. */
export function defineTask<Config extends TaskConfig, Data>(definition: TaskDefinition<Config, Data>): Task {
  const fields = definition.fields as Readonly<Record<string, TaskField>>;
  const defaults = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.default]));
  const task: TaskDefinition<TaskConfig, unknown> = definition as unknown as TaskDefinition<
    TaskConfig,
    unknown
  >;
  return {
    name: task.name,
    title: task.title,
    summary: task.summary,
    source: task.source,
    family: task.family,
    fields,
    defaults,
    levels: task.levels as readonly TaskConfig[],
    starter: task.starter,
    checkConfig: (config) => task.checkConfig?.(config) ?? null,
    space: (config) => task.space?.(config) ?? null,
    generate: (seed, split, index, config) =>
      drawProblem(task.name, { seed, split, index }, (draw) => task.draw(draw, config)),
    messages: (problem, style) =>
      style === 'compact' ? [{ role: 'user', content: problem.compact }] : task.messages(problem),
    score: (problem, completion, settings) => task.score(problem, completion, settings),
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
