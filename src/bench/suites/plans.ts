/** Every suite by name. */
import type { Plan, SuiteContext } from '../plan.ts';
import type { SuiteName } from '../types.ts';
import { gemmPlans } from './gemm.ts';
import { loadPlans } from './load.ts';
import { opsPlans } from './ops.ts';
import { rolloutPlans } from './rollout.ts';
import { scalePlans } from './scale.ts';
import { stepPlans, syncPlans } from './step.ts';
import { trainPlans } from './train.ts';

const SUITES: Readonly<Record<SuiteName, (context: SuiteContext) => Plan[]>> = {
  gemm: gemmPlans,
  ops: opsPlans,
  train: trainPlans,
  rollout: rolloutPlans,
  sync: syncPlans,
  step: stepPlans,
  load: loadPlans,
  scale: scalePlans,
};

export function plansOf(suite: SuiteName, context: SuiteContext): Plan[] {
  return SUITES[suite](context);
}
