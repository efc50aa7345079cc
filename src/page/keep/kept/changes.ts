/** The differences between the settings of two runs, in words. */
import { textOfValue, changedBetween, type FieldKey, type RunConfig } from '@rl-playground/run/settings';
import { findTask } from '@rl-playground/tasks/parts';
import { fieldOf } from '../../run/form/settings.ts';
import { taskText } from '../../run/form/task.ts';

/** A line names at most this many differences and counts the others. */
const MOST = 4;
const LONGEST = 28;

function taskWords({ task, taskConfig }: RunConfig): string {
  const fields = findTask(task)?.fields;
  const words = Object.entries(taskConfig).map(
    ([name, value]) => `${fields?.[name]?.label ?? name} ${taskText(value)}`,
  );
  return words.length === 0 ? 'its defaults' : words.join(', ');
}

/** The value of a setting, short enough for a cell. */
export function valueText(config: RunConfig, key: FieldKey): string {
  if (key === 'taskConfig') return taskWords(config);
  const text = textOfValue(config[key]);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** The differences between two sets of settings of the same task. */
function taskChanges(before: RunConfig, after: RunConfig): string[] {
  const task = findTask(after.task);
  if (task === null || before.task !== after.task) return [];
  const [was, is] = [before, after].map(({ taskConfig }) => ({ ...task.defaults, ...taskConfig }));
  return Object.entries(task.fields).flatMap(([name, { label }]) => {
    const [old, now] = [taskText(was?.[name]), taskText(is?.[name])];
    return old === now ? [] : [`${label} ${old} → ${now}`];
  });
}

/** "Learning rate 0.0003 → 0.00003, Seed 1 → 2". */
export function changesText(before: RunConfig, after: RunConfig): string {
  const changes = changedBetween(before, after).flatMap((key) => {
    const ofTask = key === 'taskConfig' ? taskChanges(before, after) : [];
    return ofTask.length > 0
      ? ofTask
      : [`${fieldOf(key).label} ${valueText(before, key)} → ${valueText(after, key)}`];
  });
  if (changes.length === 0) return 'the same settings';
  const words = changes.slice(0, MOST);
  const more = changes.length - words.length;
  return [...words, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
