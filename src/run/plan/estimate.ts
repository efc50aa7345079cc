/** The time that a step is expected to take, from the speed that this machine has shown. */
import { type RunConfig, answersInStep } from '../settings/schema/schema.ts';
import { parameterCount } from '@rl-playground/engine/parts';
import type { RunShape } from './shape.ts';
import type { MachineRates, PlannedModel, StepEstimate } from './types.ts';

/** Operations for each weight and token: a multiplication and an addition; backward takes twice as many as forward. */
const FORWARD = 2;
const BACKWARD = 4;
/** The same of an answer that is written, and of an update on it. */
export const WRITING = FORWARD;
export const UPDATE = FORWARD + BACKWARD;

/** The operations of a step whose answers are all as long as they may be. A group's prompt is computed once, in sampling and in training. */
export function stepFlops(
  { config: model }: Pick<PlannedModel, 'config'>,
  config: RunConfig,
  { promptTokens }: Pick<RunShape, 'promptTokens'>,
): { readonly decode: number; readonly train: number } {
  const weights = parameterCount(model);
  const answers = answersInStep(config);
  const tokens = (answers / config.rolloutsPerProblem) * promptTokens + answers * config.maxTokens;
  return { decode: FORWARD * weights * tokens, train: trainingPasses(config) * weights * tokens };
}

/** Operations for each weight and token of a step's answers, beside those that wrote them. */
function trainingPasses({ loraRank, ppoEpochs }: RunConfig): number {
  // Frozen weights have no gradients of their own.
  const backward = loraRank > 0 ? BACKWARD / 2 : BACKWARD;
  return FORWARD + ppoEpochs * (FORWARD + backward);
}

/**
 * The longest time that a step may take, from answers that were timed before any step. Training is taken to be as fast as writing,
 * operation by operation; it is faster, because it goes through many tokens at once.
 */
export function secondsFromAnswers(
  config: RunConfig,
  timed: { readonly seconds: number; readonly answers: number },
): number {
  const written = (timed.seconds / timed.answers) * answersInStep(config);
  return written * (1 + trainingPasses(config) / FORWARD);
}

export function estimateStep(
  model: PlannedModel,
  config: RunConfig,
  shape: Pick<RunShape, 'promptTokens'>,
  rates: MachineRates | null,
): StepEstimate {
  if (rates === null)
    return {
      seconds: null,
      text: 'This machine’s speed is not known yet: it is measured during a run.',
    };
  const { decode, train } = stepFlops(model, config, shape);
  const seconds = decode / rates.decodeFlops + train / rates.trainFlops;
  return { seconds, text: `A step is expected to take up to ${durationText(seconds)}.` };
}

/** A time in the unit that suits it. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} seconds`;
  if (seconds < 120) return `${Math.round(seconds)} seconds`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}
