/** The speed that this machine has shown in the steps of a run here, or in a benchmark, kept for the runs to come. */
import { z } from 'zod';
import { version } from '../package.json' with { type: 'json' };
import { parameterCount } from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import { stepFlops, UPDATE, WRITING } from './estimate.ts';
import type { MachineRates, PlannedModel } from './types.ts';

const STORAGE_KEY = 'rl-playground.rates';
/** The newest steps: the first ones also compile. */
const STEPS = 5;

export const machineRatesSchema = z.object({
  trainFlops: z.number().positive(),
  decodeFlops: z.number().positive(),
});
const ratesSchema = z.object({
  device: z.string(),
  /** The version that showed the speed: another one's kernels may be faster. */
  version: z.literal(version),
  rates: machineRatesSchema,
  /** The parameters of the model that a benchmark timed; missing for the rates of a run. */
  weights: z.number().optional(),
});
type KeptRates = z.output<typeof ratesSchema>;

/** A small model keeps a GPU waiting for its calls, so its rates say nothing of models with more than this many times its parameters. */
const TOLD = 4;

/** The rates in the newest steps of a run; null if no step has them. */
export function ratesOf(
  model: Pick<PlannedModel, 'config'>,
  config: RunConfig,
  metrics: readonly StepMetrics[],
): MachineRates | null {
  const recent = metrics.slice(1).slice(-STEPS);
  const sums = { decode: 0, train: 0, decodeSeconds: 0, trainSeconds: 0 };
  for (const { promptTokens, completionTokens, secondsRollout, secondsTrain } of recent) {
    const answers = config.rolloutsPerProblem;
    const flops = stepFlops(
      model,
      { ...config, problemsPerStep: 1, oneProblemPerGenerator: false, maxTokens: completionTokens / answers },
      { promptTokens: (promptTokens ?? 0) / answers },
    );
    sums.decode += flops.decode;
    sums.train += flops.train;
    sums.decodeSeconds += secondsRollout;
    sums.trainSeconds += secondsTrain;
  }
  const rates = {
    trainFlops: sums.train / sums.trainSeconds,
    decodeFlops: sums.decode / sums.decodeSeconds,
  };
  return Object.values(rates).every((rate) => Number.isFinite(rate) && rate > 0) ? rates : null;
}

/** A batch that a benchmark timed: answers of a model with so many parameters, and one update on them. */
export interface TimedBatch {
  readonly weights: number;
  /** The tokens of the answers, and of each group's prompt. */
  readonly tokens: number;
  readonly secondsSampling: number;
  readonly secondsUpdate: number;
}

const ratesOfBatch = ({ weights, tokens, secondsSampling, secondsUpdate }: TimedBatch): MachineRates => ({
  decodeFlops: (WRITING * weights * tokens) / secondsSampling,
  trainFlops: (UPDATE * weights * tokens) / secondsUpdate,
});

function kept(device: string): KeptRates | null {
  try {
    const found = ratesSchema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null'));
    return found.device === device ? found : null;
  } catch {
    return null;
  }
}

function keep(rates: KeptRates): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(rates));
  } catch {
    // A browser that keeps nothing measures again next time.
  }
}

/** Keeps the speed of a run on this device. `device` describes it in one line. */
export const keepRates = (device: string, rates: MachineRates): void => keep({ device, version, rates });

/** Keeps the speed of a benchmark on this device, unless a run has shown one here: that of the user's own model says more. */
export function keepBenchmarkRates(device: string, batch: TimedBatch): void {
  const before = kept(device);
  if (before === null || before.weights !== undefined)
    keep({ device, version, rates: ratesOfBatch(batch), weights: batch.weights });
}

/** The speed that is kept of this device, or null where none is known for a model of that shape. */
export function keptRates(device: string, { config }: Pick<PlannedModel, 'config'>): MachineRates | null {
  const found = kept(device);
  const most = TOLD * (found?.weights ?? Infinity);
  return found !== null && parameterCount(config) <= most ? found.rates : null;
}
