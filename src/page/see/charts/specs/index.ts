/** The charts that explain why a run goes as it does, by subject. */
import { OFF_POLICY_CHARTS, OPTIMIZER_CHARTS, POLICY_CHARTS } from './policy.ts';
import { REWARD_CHARTS } from './rewards.ts';
import { TIME_CHARTS } from './time.ts';

export const CHART_GROUPS = [
  REWARD_CHARTS,
  POLICY_CHARTS,
  OFF_POLICY_CHARTS,
  OPTIMIZER_CHARTS,
  TIME_CHARTS,
] as const;
