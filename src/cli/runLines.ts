/** The lines at the beginning of a run from the command line: its algorithm, its reward, and the differences from its original. */
import { LOSSES } from '@rl-playground/engine/parts';
import { PRESETS, counted, type RunConfig } from '@rl-playground/run/settings';
import { type TaskField, findTask, MIXTURE, ANSWER_TAG, type TaskValue } from '@rl-playground/tasks/parts';

const BASELINES: Readonly<Record<RunConfig['baseline'], string>> = {
  group: 'over the mean of the group',
  leave_one_out: 'over the mean of the others in the group',
  moving: 'over a moving average',
  none: 'without a baseline',
  value: 'by the value head’s estimates (generalised advantage estimation)',
};

function algorithmLine(config: RunConfig): string {
  const { loss, baseline, advantageScale, rolloutsPerProblem } = config;
  const scaled = advantageScale === 'none' ? '' : ` ÷ the standard deviation of the ${advantageScale}`;
  const problems = config.oneProblemPerGenerator
    ? `one problem from each of ${config.numGenerators} generators`
    : counted(config.problemsPerStep, 'problem');
  return `Algorithm: ${LOSSES[loss].label}, advantages ${BASELINES[baseline]}${scaled}; a step is ${problems}, ${counted(rolloutsPerProblem, 'answer')} each.`;
}

/** The fields of tasks that decide what is paid. */
const PAYS = /^reward_|_weight$|_bonus$/;

function valueText(field: TaskField, value: TaskValue): string {
  const label = field.kind === 'choice' ? field.choices[String(value)] : undefined;
  return `${String(value)}${label === undefined ? '' : ` (${label})`}`;
}

function rewardLines({ task, taskConfig, mixture, scoring }: RunConfig): string[] {
  const parts = task === MIXTURE ? mixture : [{ task, config: taskConfig }];
  return parts.flatMap((part) => {
    const task = findTask(part.task);
    if (task?.definition?.grader.kind === 'code') return [`Reward of ${part.task}: what its program says.`];
    const fields = Object.entries(task?.fields ?? {}).filter(([name]) => PAYS.test(name));
    const paid = fields.map(
      ([name, field]) => `${name} ${valueText(field, part.config[name] ?? field.default)}`,
    );
    return [`Reward of ${part.task}: ${[`${scoring} scoring`, ...paid].join(', ')}.`];
  });
}

/** The lines about the digit experiment on Monarch, if this run is like it. */
function monarchLines({ task, taskConfig, preset }: RunConfig): string[] {
  if (!PRESETS['monarch-digits'].original?.sameTasks.includes(task)) return [];
  if (preset === 'default')
    return [
      `The digit experiment on Monarch runs REINFORCE over a moving average, one answer from each generator, and pays the right number alone: --preset monarch-digits does.`,
    ];
  if (preset !== 'monarch-digits') return [];
  return [
    taskConfig['reward_rule'] === 'correct_only'
      ? `The reward is that of the experiment’s document; its code also wants the tag ${ANSWER_TAG}: task_config.reward_rule=tag_required.`
      : `The reward is that of the experiment’s code; its document pays the right number alone: task_config.reward_rule=correct_only.`,
  ];
}

/** The lines about what a run needs in order to ask what the preset's system asked. */
function datasetLines({ task, preset }: RunConfig): string[] {
  const { original } = PRESETS[preset];
  const asked = original?.sameTasks.flatMap((name) => findTask(name) ?? []).find(({ dataset }) => dataset);
  if (asked?.dataset === undefined || asked.name === task) return [];
  return [
    `This run asks ${task}, and not ${asked.title} as ${original?.system} does: that takes its rows and a model that reads English, --data hub:${asked.dataset.id} --model org/name.`,
  ];
}

export function runLines(config: RunConfig): string[] {
  return [...datasetLines(config), algorithmLine(config), ...rewardLines(config), ...monarchLines(config)];
}
