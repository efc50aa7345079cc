/** Every suite by name. */
import type { Plan, SuiteContext } from '../plan.ts';
import type { SuiteName } from '../types.ts';
import { gemmPlans } from './gemm.ts';
import { rolloutPlans } from './rollout.ts';
import { trainPlans } from './train.ts';

const SUITES: Readonly<Record<SuiteName, (context: SuiteContext) => Plan[]>> = {
  gemm: gemmPlans,
  ops: () => [],
  train: trainPlans,
  rollout: rolloutPlans,
  sync: () => [],
  step: () => [],
  load: () => [],
  scale: () => [],
};

export function plansOf(suite: SuiteName, context: SuiteContext): Plan[] {
  return SUITES[suite](context);
}
