/** The charts that explain why a run goes as it does, by subject. */
import type { ChartFold, ChartGroup } from './spec.ts';
import { OFF_POLICY_CHARTS, OPTIMIZER_CHARTS, POLICY_CHARTS } from './policy.ts';
import { REWARD_CHARTS } from './rewards.ts';
import { TIME_CHARTS } from './time.ts';

export const CHART_GROUPS: Readonly<Record<ChartFold, ChartGroup>> = {
  rewards: REWARD_CHARTS,
  policy: POLICY_CHARTS,
  offPolicy: OFF_POLICY_CHARTS,
  optimizer: OPTIMIZER_CHARTS,
  time: TIME_CHARTS,
};
