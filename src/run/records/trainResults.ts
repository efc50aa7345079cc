/** `train_results.json`: a finished or ended run in a few numbers, the first ones under the names of Hugging Face's trainers. */
import { meanOrNull } from '../../base/statistics.ts';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import type { StepMetrics } from '../../rl/metrics/index.ts';

export interface FinishedRun {
  readonly modelName: string;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  /** Time in steps, warm start and evaluations. */
  readonly wallSeconds: number;
  /** Steps of which `rollouts.jsonl` has no lines: they made room, or were made before the run was loaded. */
  readonly rolloutStepsForgotten: number;
}

const finite = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? value : null;

function evaluation(result: EvalResult | undefined) {
  if (result === undefined) return null;
  const { step, accuracy, format, n, temperature } = result;
  return {
    step,
    accuracy: 100 * accuracy,
    format_score: 100 * format,
    num_correct: Math.round(accuracy * n),
    num_samples: n,
    temperature,
  };
}

/** Seconds and per second; accuracy and format of evaluations in percent, of steps as shares. Null where there was nothing. */
export function trainResults(run: FinishedRun) {
  const { modelName, metrics, evaluations, wallSeconds } = run;
  const last = metrics.at(-1);
  const samples = metrics.reduce(
    (sum, step) => sum + (step.completions ?? Math.round(step.completionTokens / step.meanLength)),
    0,
  );
  const perSecond = (count: number): number | null => (wallSeconds > 0 ? count / wallSeconds : null);
  const after = evaluations.at(-1);
  return {
    train_runtime: wallSeconds,
    train_samples: samples,
    train_samples_per_second: perSecond(samples),
    train_steps: metrics.length,
    train_steps_per_second: perSecond(metrics.length),
    train_loss: meanOrNull(metrics.flatMap(({ loss }) => finite(loss) ?? [])),
    num_tokens: last?.totalTokens ?? null,
    model: modelName,
    final: last && {
      step: last.step,
      reward: finite(last.reward),
      reward_std: finite(last.rewardGroupStd),
      rewards: Object.fromEntries(last.rewardParts.map(({ part, mean: value }) => [part, finite(value)])),
      correct: finite(last.accuracy),
      format: finite(last.format),
      kl: finite(last.kl),
      entropy: finite(last.entropy),
    },
    eval_before: evaluation(evaluations.find(({ step }) => step === 0)),
    eval_after: evaluation(after === undefined || after.step === 0 ? undefined : after),
    rollout_steps_forgotten: run.rolloutStepsForgotten,
  };
}
