/** The steps of a batch for a token and for a prefill, in order. */
import {
  attentionKernel,
  embedKernel,
  gatherKernel,
  keepKernel,
  logitNoiseKernel,
  mergeKernel,
  recallKernel,
  sampleKernel,
  splitFor,
  SLOT_FRESH,
  SLOT_RUNNING,
  type AttentionWork,
  type DecodeWays,
} from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';
import { NOISE_STREAMS } from '../decoding/logitNoise.ts';
import type { GeneratorModel } from '../decoding/decoder.ts';
import type { SamplingSettings } from '../decoding/types.ts';
import { cacheKinds } from './cacheKinds.ts';
import type { DecoderWeights } from './decoderWeights.ts';
import { attentionAdapter, headSteps, linearStepsOf } from './linearSteps.ts';
import { logitsWidth } from './sizes.ts';
import { kernelsOnce, type BatchPlan, type Bound, type Step } from './step.ts';
import { EMBEDDING } from '../../model/weightNames.ts';

/** The kind of a draw. Each kind has kernels of its own. */
export interface DrawKind {
  /** True with top-k, top-p or min-p. */
  readonly filtered: boolean;
  /** True if noise is added to the logits. */
  readonly noisy: boolean;
  /** True with a repetition penalty. */
  readonly penalised: boolean;
}

/** The properties of a model that the steps depend on besides its shape. */
export type DecodedModel = Pick<GeneratorModel, 'positions' | 'drawableIds' | 'cachePrecision'>;

export const PLAIN_DRAWS: DrawKind = { filtered: false, noisy: false, penalised: false };

export function drawKindOf(settings: SamplingSettings): DrawKind {
  const { temperature, topK, topP, minP = 0, logitNoise = 0, repetitionPenalty = 1 } = settings;
  return {
    filtered: temperature > 0 && (topK > 0 || topP < 1 || minP > 0),
    noisy: logitNoise > 0,
    penalised: repetitionPenalty !== 1,
  };
}

/** `tables` have the cosines | sines of each position, for each layer. */
export function planSteps(
  config: ModelConfig,
  weights: DecoderWeights,
  tables: readonly GPUBuffer[],
  ways: DecodeWays,
  { filtered, noisy, penalised }: DrawKind,
  { positions, drawableIds, cachePrecision = 'f32' }: DecodedModel,
): BatchPlan<Step> {
  const { plan } = ways;
  const { hiddenSize, heads, kvHeads, headDim, vocabSize, qkNorm, rmsEps } = config;
  const { ofLayers } = cacheKinds(config);
  const adapterOf = attentionAdapter(config, weights, plan);
  const attention = (work: AttentionWork) => {
    const once = kernelsOnce();
    return (layer: number): Step[] => {
      const adapter = work === 'append' ? null : adapterOf(layer);
      const spec = {
        heads,
        kvHeads,
        headDim,
        headNormEpsilon: qkNorm ? rmsEps : null,
        headNormShift: config.normShift,
        scale: config.attentionScale,
        window: config.attention[layer]?.window ?? null,
        cachePrecision,
        lowRank: adapter?.lowRank ?? null,
      };
      const split = work === 'step' ? splitFor(spec, positions, plan) : null;
      const kernel = once(spec, () => attentionKernel(spec, work, plan, split));
      const norms = ['q_norm', 'k_norm'].map((name) =>
        weights.vector(`model.layers.${layer}.self_attn.${name}.weight`),
      );
      const factors = adapter?.factors ?? null;
      const attend: Step = {
        kernel,
        bind: ({ list, qkv, pages, mixed, parts, caches }) => {
          const cache = caches[layer];
          const table = tables[layer];
          const pagesOfKind = pages[ofLayers[layer] ?? 0];
          if (!cache || !table || !pagesOfKind) throw new Error(`There is no cache for layer ${layer}.`);
          const behind: readonly (Bound | null)[] = split ? norms : [...norms, factors];
          const to = split ? parts : mixed;
          return [list, qkv, table, pagesOfKind, cache, to, ...behind.filter((bound) => bound !== null)];
        },
      };
      if (!split) return [attend];
      const merge: Step = {
        kernel: once({ merge: spec }, () => mergeKernel(spec, split)),
        bind: ({ list, parts, mixed }) => [list, parts, mixed, ...(factors ? [factors] : [])],
      };
      return [attend, merge];
    };
  };
  const [step, append, attend] = [attention('step'), attention('append'), attention('attend')];
  const linear = linearStepsOf(config, weights, ways);
  const layers = Array.from({ length: config.layers }, (_, layer) => {
    const { queriesKeysValues, output, gateUp, down } = linear(layer);
    return {
      before: queriesKeysValues,
      step: step(layer),
      append: append(layer),
      attend: attend(layer),
      after: [...output, ...gateUp, ...down],
    };
  });

  const embedding = weights.matrix(EMBEDDING);
  const embed = embedding.blocks.map(({ words, ...block }): Step => ({
    kernel: embedKernel(hiddenSize, block, config.embeddingScale),
    bind: ({ list, x }) => [list, words, x],
  }));
  const project = headSteps(config, weights, ways);
  const sample: Step = {
    kernel: sampleKernel(vocabSize, logitsWidth(config), { filtered, penalised }, plan, drawableIds),
    bind: ({ list, logits, settings, slots, output, seen }) => [
      list,
      logits,
      settings,
      slots,
      output,
      ...(penalised ? [seen] : []),
    ],
  };
  const noise: Step = {
    kernel: logitNoiseKernel(vocabSize, logitsWidth(config), NOISE_STREAMS),
    bind: ({ list, settings, slots, logits }) => [list, settings, slots, logits],
  };
  const draw = noisy ? [noise, sample] : [sample];
  const gather = (alive: number): Step => ({
    kernel: gatherKernel(plan, alive),
    bind: ({ slots, list, bounds }) => [slots, list, bounds],
  });
  return {
    first: [
      gather(SLOT_FRESH),
      { kernel: recallKernel(hiddenSize), bind: ({ list, hidden, x }) => [list, hidden, x] },
      ...project,
      ...draw,
    ],
    token: [
      gather(SLOT_RUNNING),
      ...embed,
      ...layers.flatMap((layer) => [...layer.before, ...layer.step, ...layer.after]),
      ...project,
      ...draw,
    ],
    prefill: {
      before: embed,
      layers: layers.map((layer) => [...layer.before, ...layer.append, ...layer.attend, ...layer.after]),
      after: [{ kernel: keepKernel(hiddenSize), bind: ({ list, x, hidden }) => [list, x, hidden] }],
    },
  };
}
