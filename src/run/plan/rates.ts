/** The speed that this machine has shown in the steps of a run here, kept for the runs to come. */
import { z } from 'zod';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import { stepFlops } from './estimate.ts';
import type { MachineRates, PlannedModel } from './types.ts';

const STORAGE_KEY = 'rl-playground.rates';
/** The newest steps: the first ones also compile. */
const STEPS = 5;

export const machineRatesSchema = z.object({
  trainFlops: z.number().positive(),
  decodeFlops: z.number().positive(),
});
const ratesSchema = z.object({ device: z.string(), rates: machineRatesSchema });

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

/** Keeps the speed for this device. `device` describes it in one line. */
export function keepRates(device: string, rates: MachineRates): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ device, rates }));
  } catch {
    // A browser that keeps nothing measures again next time.
  }
}

export function keptRates(device: string): MachineRates | null {
  try {
    const kept = ratesSchema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null'));
    return kept.device === device ? kept.rates : null;
  } catch {
    return null;
  }
}
