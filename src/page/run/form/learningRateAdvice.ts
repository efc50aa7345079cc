/** The advice of two rules for the learning rate: the rate, and the calculation in words. */
import { defaultConfig, type RunConfig, answersInStep, updatesPerBatch } from '@rl-playground/run/settings';
import {
  BASE_RATE,
  LORA_FACTOR,
  REFERENCE_WIDTH,
  squareRootRate,
  tinkerRate,
  WIDTH_EXPONENT,
  type ModelFamily,
} from '@rl-playground/run/diagnosis';
import type { RunSnapshot } from '@rl-playground/run/session';
import { count, parameterCount, plainText } from '../../ui/text/format.ts';

export interface RateAdvice {
  /** The rate with three significant digits. It is null where the rule cannot be applied, and `sums` says why. */
  readonly rate: number | null;
  readonly why: string;
  readonly sums: string;
}

/** The text of a rate, with a true minus sign. */
export const rateText = (rate: number): string => plainText(rate).replace('e-', 'e−');

const rounded = (rate: number): number => Number(rate.toPrecision(3));

/** The number of answers behind one update. */
export function answersPerUpdate(form: RunConfig): number {
  return (answersInStep(form) * form.ppoEpochs) / updatesPerBatch(form);
}

const SQRT_WHY =
  'Tinker’s documents let the learning rate grow with the square root of the batch: twice the answers make the noise of an update √2 times smaller.';

/** The rate for the form's batch, starting from the preset's batch and its rate. */
export function squareRootAdvice(form: RunConfig): RateAdvice {
  const usual = defaultConfig(form.task, form.preset);
  const [from, to] = [answersPerUpdate(usual), answersPerUpdate(form)];
  if (!(to > 0 && Number.isFinite(to)))
    return { rate: null, why: SQRT_WHY, sums: 'The settings of the batch are not complete yet.' };
  const rate = rounded(squareRootRate(usual.learningRate, from, to));
  const known = `The preset’s ${rateText(usual.learningRate)} goes with ${count(from)} answers in an update`;
  const sums =
    from === to
      ? `${known}, and the settings have as many: ${rateText(rate)}.`
      : `${known}; the settings have ${count(to)}: ${rateText(usual.learningRate)} · √(${count(to)} / ${count(from)}) = ${rateText(rate)}.`;
  return { rate, why: SQRT_WHY, sums };
}

const LORA_WHY =
  'The cookbook’s get_lr: with LoRA the best learning rate is ten times that of training all weights, whatever the rank, and falls with the width of the model.';
const FITTED_FROM = 1e9;

/** The rate for the width and family of the loaded model. */
export function loraAdvice(
  form: RunConfig,
  model: Pick<RunSnapshot, 'modelName' | 'modelShape' | 'parameterCount' | 'modelIsOurs'>,
): RateAdvice {
  const { modelShape, modelName } = model;
  if (modelShape === null)
    return { rate: null, why: LORA_WHY, sums: 'No model is loaded yet: the rule needs its width.' };
  const family: ModelFamily = modelShape.modelType.startsWith('qwen') ? 'qwen' : 'llama';
  const lora = form.loraRank > 0;
  const rate = rounded(tinkerRate({ family, hiddenSize: modelShape.hiddenSize, lora }));
  const factor = lora ? ` · ${LORA_FACTOR}` : '';
  const far =
    model.parameterCount !== null && model.parameterCount < FITTED_FROM
      ? ` It was fitted on models from 1 B parameters up; for one of ${parameterCount(model.parameterCount)} it is an extrapolation, so also try less.`
      : '';
  const awaited =
    model.modelIsOurs && modelName !== null && form.model !== modelName
      ? ` A run starts with ${form.model}, which is not loaded yet. The rule can use it once it is loaded.`
      : '';
  return {
    rate,
    why: LORA_WHY,
    sums:
      `${modelName ?? 'The model'} is of the ${family === 'llama' ? 'Llama' : 'Qwen'} type and ${modelShape.hiddenSize} wide; ` +
      `${lora ? `LoRA of rank ${form.loraRank}` : 'all weights are trained, so without the factor 10'}: ` +
      `${rateText(BASE_RATE)}${factor} · (${REFERENCE_WIDTH} / ${modelShape.hiddenSize})^${WIDTH_EXPONENT[family]} = ${rateText(rate)}.${far}${awaited}`,
  };
}
