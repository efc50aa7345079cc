/** The charts that explain why a run goes as it does, by what they are about. */
import type { ChartFold } from './folds.ts';
import { OFF_POLICY_CHARTS } from './offPolicy.ts';
import { OPTIMIZER_CHARTS } from './optimizer.ts';
import { POLICY_CHARTS } from './policy.ts';
import { REWARD_CHARTS } from './rewards.ts';
import type { ChartGroup } from './spec.ts';
import { TIME_CHARTS } from './time.ts';

export const CHART_GROUPS: Readonly<Record<ChartFold, ChartGroup>> = {
  rewards: REWARD_CHARTS,
  policy: POLICY_CHARTS,
  offPolicy: OFF_POLICY_CHARTS,
  optimizer: OPTIMIZER_CHARTS,
  time: TIME_CHARTS,
};
