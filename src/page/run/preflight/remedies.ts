/** The ways out of a run in which no answer is right and all answers to a problem earn the same: no step of it would change the model. */
import type { Finding } from '@rl-playground/run/diagnosis';
import type { PreflightReport } from '@rl-playground/run/session';
import { defaultConfig, sameValue, type RunConfig } from '@rl-playground/run/settings';
import { findTask, type Task } from '@rl-playground/tasks/parts';

type Remedy = NonNullable<Finding['mend']>;

/** Settings of tasks that pay for a part of an answer, each with what pays nothing for it and what does. */
const PARTS: Readonly<Record<string, readonly [without: number | string, paid: number | string]>> = {
  step_weight: [0, 2],
  partial: [0, 0.5],
  reward_rule: ['all', 'share'],
};

function workedExamples(task: Task, { taskConfig }: RunConfig): Remedy | null {
  if ({ ...task.defaults, ...taskConfig }['few_shot'] !== false) return null;
  return { label: 'Show worked examples', settings: { taskConfig: { ...taskConfig, few_shot: true } } };
}

function partialCredit(task: Task, { taskConfig }: RunConfig): Remedy | null {
  const whole = { ...task.defaults, ...taskConfig };
  const changes = Object.entries(PARTS).filter(([key, [without]]) => whole[key] === without);
  if (changes.length === 0) return null;
  const paid = Object.fromEntries(changes.map(([key, [, value]]) => [key, value]));
  return { label: 'Pay for a part', settings: { taskConfig: { ...taskConfig, ...paid } } };
}

function easierLevel({ levels }: Task, { taskConfig }: RunConfig): Remedy | null {
  const ofLevels = new Set(levels.flatMap((level) => Object.keys(level)));
  const others = Object.entries(taskConfig).filter(([key]) => !ofLevels.has(key));
  const easiest = { ...Object.fromEntries(others), ...levels[0] } as RunConfig['taskConfig'];
  if (levels.length < 2 || sameValue(easiest, taskConfig)) return null;
  return { label: 'Ask the easiest level', settings: { taskConfig: easiest, curriculum: 'off' } };
}

/** A task that an instruct model knows a little, or one that is graded by the form alone where the model has learned no chat. */
function knownTask(task: Task | null, { model, seed }: RunConfig, hasTemplate: boolean): Remedy | null {
  if (task?.family === 'instruct') return null;
  const name = hasTemplate ? 'instructions' : 'format_follow';
  const plain = { renderer: 'role_colon', taskConfig: { few_shot: true } } as const;
  const settings = { ...defaultConfig(name), ...(!hasTemplate && plain), model, seed };
  return { label: `Try “${findTask(name)?.title ?? name}”`, settings };
}

/** Lists what may help. The remedy of the first finding comes before the others. */
export function remedies({
  config,
  findings,
  hasTemplate,
}: Pick<PreflightReport, 'config' | 'findings' | 'hasTemplate'>): readonly Remedy[] {
  const task = findTask(config.task);
  const ways = [
    findings.find(({ kind, id }) => kind === 'warning' && id !== 'model')?.mend,
    task && easierLevel(task, config),
    knownTask(task, config, hasTemplate),
    task && workedExamples(task, config),
    task && partialCredit(task, config),
    config.warmStartSteps === 0 ? { label: 'Turn on the warm-up', settings: { warmStartSteps: 60 } } : null,
  ].filter((way) => way !== null && way !== undefined);
  return ways.filter(({ label }, i) => ways.findIndex((way) => way.label === label) === i);
}
