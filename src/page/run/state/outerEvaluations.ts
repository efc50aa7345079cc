import type { EvalResult } from '@rl-playground/run/loop';

/** The first evaluation of a run, and its last one of a later step; each is undefined while there is none. */
export function outerEvaluations(evaluations: readonly EvalResult[]): readonly (EvalResult | undefined)[] {
  const [before] = evaluations;
  return [before, evaluations.findLast(({ step }) => before !== undefined && step > before.step)];
}
