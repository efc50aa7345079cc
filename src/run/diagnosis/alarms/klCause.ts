/** The likeliest cause of a sampler–trainer KL beyond Tinker's line, from a run's metrics and settings. */
import { hasMeaning } from '../../settings/meaning.ts';
import type { RunConfig } from '../../settings/schema/schema.ts';
import type { StepMetrics } from '../../metrics/metrics.ts';

/** Stable runs stay below it, say Tinker's documents: nats per token, for v2 and for the size of v1. */
export const KL_LINE = 0.01;

/** `mismatch`: sampler and trainer differ on the same weights. `staleness`: older weights sampled. `updates`: the step's own updates. */
export type KlCauseKind = 'mismatch' | 'staleness' | 'updates';

export interface KlCause {
  readonly kind: KlCauseKind;
  readonly title: string;
  readonly text: string;
}

/** Later updates of a step are to blame where they are this many times as far as the first. */
const MUCH_LARGER = 3;

/** The temperature below which small differences of logits become large ones of log-probabilities. */
const LOW_TEMPERATURE = 0.5;

const size = (v1: number | null, v2: number | null): number => Math.max(Math.abs(v1 ?? 0), v2 ?? 0);

/** The cause at the latest step of `metrics`; null where its v1 and v2 are within the line, or were not measured. */
export function klCause(metrics: readonly StepMetrics[], settings: RunConfig): KlCause | null {
  const latest = metrics.at(-1);
  if (latest === undefined) return null;
  const { klSampleTrainV1: v1, klSampleTrainV2: v2 } = latest;
  if (size(v1, v2) <= KL_LINE) return null;
  const found = { step: latest.step, found: `v1 ${number(v1)}, v2 ${number(v2)} nats per token` };
  const first = firstUpdate(latest);
  const later = size(latest.klLaterUpdatesV1, latest.klLaterUpdatesV2);
  if ((latest.updates ?? 1) > 1 && (first <= KL_LINE || later >= MUCH_LARGER * first))
    return tooManyUpdates(found, latest, settings);
  if ((latest.policyAgeMax ?? 0) > 0 && !differedOnPolicy(metrics)) return stale(found, latest, settings);
  return mismatch(found, settings);
}

/** The distance of sampler and trainer before the step's own updates. */
function firstUpdate(step: StepMetrics): number {
  const { klFirstUpdateV1: v1, klFirstUpdateV2: v2 } = step;
  return v1 === null && v2 === null ? size(step.klSampleTrainV1, step.klSampleTrainV2) : size(v1, v2);
}

/** True if they were beyond the line already when nothing had moved the policy since sampling. */
function differedOnPolicy(metrics: readonly StepMetrics[]): boolean {
  return metrics.some((step) => step.policyAgeMax === 0 && firstUpdate(step) > KL_LINE);
}

interface Found {
  readonly step: number;
  readonly found: string;
}

const head = ({ step, found }: Found): string => `Step ${step}: ${found}; stable runs stay below ${KL_LINE}.`;

function tooManyUpdates(found: Found, latest: StepMetrics, settings: RunConfig): KlCause {
  const { numSubsteps, ppoEpochs, miniBatchSize, learningRate, targetKl, schedule } = settings;
  const ways = [
    ...(numSubsteps > 1 ? [`fewer updates per batch than ${numSubsteps}`] : []),
    ...(ppoEpochs > 1 ? [`fewer passes over a batch than ${ppoEpochs}`] : []),
    ...(miniBatchSize > 0 ? [`mini-batches of more than ${miniBatchSize} answers`] : []),
    `a lower learning rate than ${learningRate}`,
    ...(targetKl === 0 && schedule !== 'stream' ? [`"Stop updates beyond KL" at ${KL_LINE}`] : []),
  ];
  return {
    kind: 'updates',
    title: 'The updates of a step move the policy too far',
    text:
      `${head(found)} In the first of its ${latest.updates ?? 1} updates it was ` +
      `${number(firstUpdate(latest))}, in later ones up to ${number(size(latest.klLaterUpdatesV1, latest.klLaterUpdatesV2))}: ` +
      `each update moves the policy away from the answers that the next one learns from. Try ${ways.join(', or ')}.`,
  };
}

function stale(found: Found, latest: StepMetrics, { schedule, maxStepsOffPolicy }: RunConfig): KlCause {
  const fewer =
    schedule === 'async' && maxStepsOffPolicy > 0
      ? `fewer steps behind than ${maxStepsOffPolicy} ("Side by side: most steps behind")`
      : 'the schedule that takes turns';
  return {
    kind: 'staleness',
    title: 'Answers are too old',
    text:
      `${head(found)} The weights that sampled them were up to ${steps(latest.policyAgeMax ?? 0)} behind ` +
      `(${number(latest.policyAgeMean)} on average). Try ${fewer}, or a lower learning rate, ` +
      'and a loss that corrects for old answers, such as PPO clipping.',
  };
}

/** True if generators multiply rounded numbers. */
export const roundsProducts = (settings: RunConfig): boolean =>
  settings.generatorProducts !== 'exact' && hasMeaning(settings, 'generatorProducts');

function mismatch(found: Found, settings: RunConfig): KlCause {
  const { generatorPrecision, samplerNoise, cachePrecision, temperature, topP, topK } = settings;
  const rounds = roundsProducts(settings);
  const { minP, repetitionPenalty } = settings;
  const merged = settings.loraRank > 0 && settings.generatorAdapter === 'merged';
  const filters = [
    ...(topP < 1 ? [`top-p ${topP}`] : []),
    ...(topK > 0 ? [`top-k ${topK}`] : []),
    ...(minP > 0 ? [`min-p ${minP}`] : []),
    ...(repetitionPenalty !== 1 ? [`repetition penalty ${repetitionPenalty}`] : []),
  ];
  const reasons = [
    ...(generatorPrecision === 'f16'
      ? ['The generators sample with weights rounded to 16 bit: set their precision to 32 bit.']
      : []),
    ...(samplerNoise > 0
      ? [`The generators draw from logits with noise of ${samplerNoise}: set it to 0.`]
      : []),
    ...(cachePrecision === 'f16'
      ? ['The generators keep keys and values in 16 bit: keep them in 32 bit.']
      : []),
    ...(rounds ? ['The generators round numbers before they multiply: let their products be exact.'] : []),
    ...(merged
      ? ['The generators sample with the adapter merged in and rounded to 16 bit: keep it beside the base.']
      : []),
    ...(temperature < LOW_TEMPERATURE
      ? [`Temperature ${temperature} enlarges every difference ${number(1 / temperature)} times: raise it.`]
      : []),
    ...(filters.length > 0
      ? [
          `Sampling also leaves out or penalises tokens (${filters.join(', ')}), which these probabilities do not show: turn that off, so that answers are the policy’s own.`,
        ]
      : []),
  ];
  const unexplained =
    samplerNoise > 0 ||
    generatorPrecision === 'f16' ||
    cachePrecision === 'f16' ||
    rounds ||
    merged ||
    temperature < LOW_TEMPERATURE
      ? ''
      : ' No setting explains this: generators and trainer compute differently on this device. Try the other backend.';
  return {
    kind: 'mismatch',
    title: 'Generators and trainer disagree',
    text:
      `${head(found)} They give different probabilities to the same tokens with the same weights.${unexplained} ` +
      [
        ...reasons,
        '“Truncated importance sampling”, with old probabilities from the trainer, corrects the rest.',
      ].join(' '),
  };
}

const steps = (count: number): string => (count === 1 ? '1 step' : `${count} steps`);

/** Three significant digits. */
function number(value: number | null): string {
  return value === null ? '–' : String(Number(value.toPrecision(3)));
}
