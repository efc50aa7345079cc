/** What the two rules for the learning rate say about the form: the rate, and the calculation in words. */
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
import { count, parameterCount } from '../../ui/text/format.ts';

export interface RateAdvice {
  /** Three significant digits; null where the rule cannot be applied, and `sums` says why. */
  readonly rate: number | null;
  readonly why: string;
  readonly sums: string;
}

/** A rate in words: short, with a true minus. */
export function rateText(rate: number): string {
  const text = rate < 1e-4 ? rate.toExponential() : String(rate);
  return text.replace('e-', 'e−');
}

const rounded = (rate: number): number => Number(rate.toPrecision(3));

/** Answers behind one update: those of a step, or a part of them where the step is cut into several updates. */
export function answersPerUpdate(form: RunConfig): number {
  return (answersInStep(form) * form.ppoEpochs) / updatesPerBatch(form);
}

const SQRT_WHY =
  'Tinker’s documents let the learning rate grow with the square root of the batch: twice the answers make the noise of an update √2 times smaller.';

/** From the batch of the task's preset, which its learning rate was chosen for, to the batch of the form. */
export function squareRootAdvice(form: RunConfig): RateAdvice {
  const usual = defaultConfig(form.task, form.preset);
  const [from, to] = [answersPerUpdate(usual), answersPerUpdate(form)];
  if (!(to > 0 && Number.isFinite(to)))
    return { rate: null, why: SQRT_WHY, sums: 'The numbers of the batch are not complete yet.' };
  const rate = rounded(squareRootRate(usual.learningRate, from, to));
  const known = `The preset’s ${rateText(usual.learningRate)} goes with ${count(from)} answers in an update`;
  const sums =
    from === to
      ? `${known}, and the form has as many: ${rateText(rate)}.`
      : `${known}; the form has ${count(to)}: ${rateText(usual.learningRate)} · √(${count(to)} / ${count(from)}) = ${rateText(rate)}.`;
  return { rate, why: SQRT_WHY, sums };
}

const LORA_WHY =
  'The cookbook’s get_lr: with LoRA the best learning rate is ten times that of training all weights, whatever the rank, and falls with the width of the model.';
/** The smallest model that the rule was fitted on. */
const FITTED_FROM = 1e9;

/** For the width and family of the loaded model, with LoRA factors or without. */
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
      ? ` A run begins with ${form.model}, which is not loaded yet: ask again then.`
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
