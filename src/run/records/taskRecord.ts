/** The tasks of a mixture in a metrics record: `env/<task>/…`, as Tinker logs its tags. */
import type { TaskShare } from '../../rl/metrics/reward.ts';

const NAMES = {
  reward: 'reward/total',
  accuracy: 'correct',
  format: 'format',
  n: 'total_episodes',
  level: 'level',
} as const satisfies Record<Exclude<keyof TaskShare, 'task'>, string>;

export function taskRecord(tasks: readonly TaskShare[]): Record<string, number | null> {
  return Object.fromEntries(
    tasks.flatMap(({ task, ...numbers }) =>
      Object.entries(NAMES).map(([key, name]): [string, number | null] => [
        `env/${task}/${name}`,
        numbers[key as keyof typeof NAMES],
      ]),
    ),
  );
}

const COUNT_NAME = new RegExp(`^env/(?!all/)(.+)/${NAMES.n}$`);

/** The inverse of `taskRecord`, in the order of the record. */
export function tasksFromRecord(record: Readonly<Record<string, number | null>>): TaskShare[] {
  return Object.keys(record).flatMap((name): TaskShare[] => {
    const task = COUNT_NAME.exec(name)?.[1];
    if (task === undefined) return [];
    const read = (key: keyof typeof NAMES): number | null => record[`env/${task}/${NAMES[key]}`] ?? null;
    const number = (key: keyof typeof NAMES): number => read(key) ?? NaN;
    return [
      {
        task,
        reward: number('reward'),
        accuracy: number('accuracy'),
        format: number('format'),
        n: number('n'),
        level: read('level'),
      },
    ];
  });
}
