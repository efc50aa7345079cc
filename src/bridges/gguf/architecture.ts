/** llama.cpp's name of an architecture, and its values. What llama.cpp would compute otherwise is refused. */
import {
  type LayerAttention,
  type ModelConfig,
  ModelFileError,
  partsBeyondLlama,
  type Rope,
  ropeOfLayers,
} from '@rl-playground/engine/parts';
import type { GgufValue } from './ggufFile.ts';

/** llama.cpp's names that differ from Hugging Face's; its Llama serves Mistral, too. */
const NAMES: Readonly<Record<string, string>> = { mistral: 'llama', gemma3_text: 'gemma3' };

export const architectureOf = ({ modelType }: ModelConfig): string => NAMES[modelType] ?? modelType;

type Values = [string, GgufValue][];

const refuse = (what: string): never => {
  throw new ModelFileError(`GGUF: ${what} Export it for transformers.`);
};

function ropeValues({ theta, scaling }: Rope): Values {
  const values: Values = [['rope.freq_base', { float32: theta }]];
  if (scaling?.type !== 'linear') return values;
  return [
    ...values,
    ['rope.scaling.type', { text: 'linear' }],
    ['rope.scaling.factor', { float32: scaling.factor }],
  ];
}

const isSame = (one: LayerAttention, other: LayerAttention): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The attention of layers among which every `every`-th is another, which llama.cpp counts from the first. */
function twoKinds(
  config: ModelConfig,
  every: number,
): { readonly most: LayerAttention; readonly other: LayerAttention } | null {
  const { attention } = config;
  const most = attention[0];
  const other = attention[every - 1] ?? most;
  if (most === undefined || other === undefined) return null;
  const fits = attention.every((each, i) => isSame(each, (i + 1) % every === 0 ? other : most));
  return fits ? { most, other } : null;
}

/** SmolLM3: every fourth layer has no RoPE, which llama.cpp takes as given. */
function smolLm3Values(config: ModelConfig): Values {
  const kinds = twoKinds(config, 4);
  const hasOther = config.layers >= 4;
  if (
    !kinds?.most.rope ||
    kinds.most.window !== null ||
    (hasOther && (kinds.other.rope !== null || kinds.other.window !== null))
  )
    return refuse(
      "llama.cpp's SmolLM3 has no windows, and RoPE in all layers but every fourth; this model differs.",
    );
  return ropeValues(kinds.most.rope);
}

/** The number of layers of the only Gemma 3 whose scores llama.cpp scales by another width than that of a head. */
const LAYERS_OF_GEMMA_27B = 62;

function gemmaValues(config: ModelConfig): Values {
  const { attention, attentionScale, headDim, heads, hiddenSize, layers } = config;
  const width = layers === LAYERS_OF_GEMMA_27B ? hiddenSize / heads : headDim;
  if (Math.abs(attentionScale * Math.sqrt(width) - 1) > 1e-6)
    refuse(`llama.cpp's Gemma 3 scales attention by 1 / √${width}, and this model by ${attentionScale}.`);
  const firstGlobal = attention.findIndex(({ window }) => window === null);
  const every = firstGlobal < 0 ? layers + 1 : firstGlobal + 1;
  const kinds = twoKinds(config, every);
  const local = kinds?.most;
  const global = firstGlobal < 0 ? local : kinds?.other;
  if (!local?.rope || !global?.rope || local.window === null)
    return refuse(
      "llama.cpp's Gemma 3 has a global layer behind every so many local ones; this model differs.",
    );
  return [
    ...ropeValues(global.rope),
    ['rope.freq_base_swa', { float32: local.rope.theta }],
    ['attention.sliding_window', { uint32: local.window }],
    ['attention.sliding_window_pattern', { uint32: every }],
  ];
}

function graniteValues(config: ModelConfig): Values {
  const plain = {
    embeddingScale: 1,
    residualScale: 1,
    logitScale: 1,
    attentionScale: 1 / Math.sqrt(config.headDim),
  };
  return [
    ...plainValues({ ...config, ...plain }),
    ['attention.scale', { float32: config.attentionScale }],
    ['embedding_scale', { float32: config.embeddingScale }],
    ['residual_scale', { float32: config.residualScale }],
    ['logit_scale', { float32: 1 / config.logitScale }],
  ];
}

/** Llama, Mistral, Qwen2 and Qwen3. */
function plainValues(config: ModelConfig): Values {
  const parts = partsBeyondLlama(config);
  if (parts.length > 0)
    refuse(
      `llama.cpp's ${architectureOf(config)} lacks what this ${config.modelType} model has: ${parts.join(', ')}.`,
    );
  return ropeValues(ropeOfLayers(config));
}

const OWN_VALUES: Readonly<Partial<Record<ModelConfig['modelType'], (config: ModelConfig) => Values>>> = {
  gemma3_text: gemmaValues,
  smollm3: smolLm3Values,
  granite: graniteValues,
  arcee: () => refuse('llama.cpp\'s "arcee" squares what ReLU leaves, and this model does not.'),
};

/** @throws ModelFileError for a model that llama.cpp computes differently. */
export function architectureValues(config: ModelConfig): Values {
  const values: Values = [
    ['context_length', { uint32: config.maxPositions }],
    ['embedding_length', { uint32: config.hiddenSize }],
    ['block_count', { uint32: config.layers }],
    ['feed_forward_length', { uint32: config.mlpSize }],
    ['vocab_size', { uint32: config.vocabSize }],
    ['attention.head_count', { uint32: config.heads }],
    ['attention.head_count_kv', { uint32: config.kvHeads }],
    ['attention.key_length', { uint32: config.headDim }],
    ['attention.value_length', { uint32: config.headDim }],
    ['attention.layer_norm_rms_epsilon', { float32: config.rmsEps }],
    ['rope.dimension_count', { uint32: config.headDim }],
    ...(OWN_VALUES[config.modelType] ?? plainValues)(config),
  ];
  return values.map(([key, value]) => [`${architectureOf(config)}.${key}`, value]);
}
