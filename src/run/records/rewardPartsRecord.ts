/** The parts of the reward in a metrics record: under Tinker's names and, with their spread, under TRL's. */
import type { RewardPart } from '../../rl/metrics/reward.ts';

export function rewardPartsRecord(parts: readonly RewardPart[]): Record<string, number> {
  return Object.fromEntries(
    parts.flatMap(({ part, mean, std }): [string, number][] => [
      [`env/all/reward/${part}`, mean],
      [`rewards/${part}/mean`, mean],
      [`rewards/${part}/std`, std],
    ]),
  );
}

const MEAN_NAME = /^rewards\/(.+)\/mean$/;

/** The inverse of `rewardPartsRecord`, in the order of the record. */
export function rewardPartsFromRecord(record: Readonly<Record<string, number | null>>): RewardPart[] {
  return Object.entries(record).flatMap(([name, mean]): RewardPart[] => {
    const part = MEAN_NAME.exec(name)?.[1];
    if (part === undefined) return [];
    return [{ part, mean: mean ?? NaN, std: record[`rewards/${part}/std`] ?? NaN }];
  });
}
