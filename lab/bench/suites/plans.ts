/** Every suite by name. */
import type { Plan, SuiteContext } from '../plan.ts';
import type { SuiteName } from '../types.ts';
import { gemmPlans, opsPlans } from './ops.ts';
import { mergePlans, rolloutPlans } from './generators.ts';
import { loraPlans } from './lora.ts';
import { stepPlans, syncPlans, trainPlans } from './training.ts';

const SUITES: Readonly<Record<SuiteName, (context: SuiteContext) => Plan[]>> = {
  gemm: gemmPlans,
  ops: opsPlans,
  train: trainPlans,
  rollout: rolloutPlans,
  sync: (context) => [...syncPlans(context), ...mergePlans(context)],
  step: stepPlans,
  lora: loraPlans,
};

/** The plans of several suites, with the peers that there are. Plans that share their work are one plan with the rows of all. */
export function plansOf(suites: readonly SuiteName[], context: SuiteContext): Plan[] {
  const merged = new Map<string, Plan>();
  for (const planned of suites.flatMap((suite) => SUITES[suite](context))) {
    const plan = { ...planned, peers: planned.peers.filter((peer) => context.available.has(peer)) };
    const work = JSON.stringify([plan.workload, plan.peers]);
    const known = merged.get(work);
    merged.set(work, known ? { ...known, rows: [...known.rows, ...plan.rows] } : plan);
  }
  return [...merged.values()];
}
