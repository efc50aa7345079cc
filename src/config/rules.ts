/** Rules between settings. Each names the field to change, the value found and the value needed. */
import { ADVANTAGE_RULES } from './rules/advantage.ts';
import { KL_RULES } from './rules/kl.ts';
import { LOSS_RULES } from './rules/loss.ts';
import type { Rule } from './rules/rule.ts';
import { SCHEDULE_RULES } from './rules/schedule.ts';
import { TASK_RULES } from './rules/task.ts';
import { UPDATES_RULES } from './rules/updates.ts';

export { MAX_ROLLOUTS_PER_STEP } from './rules/advantage.ts';

export const RULES: readonly Rule[] = [
  ...TASK_RULES,
  ...LOSS_RULES,
  ...ADVANTAGE_RULES,
  ...KL_RULES,
  ...UPDATES_RULES,
  ...SCHEDULE_RULES,
];
