/** The `config.json` of a model, made of a GGUF header: its keys under Hugging Face's names. */
import type { GgufHeader } from './header.ts';
import type { Metadata } from './metadata.ts';
import { llama3Scaling } from './llama3Scaling.ts';
import { GgufError } from './ggufError.ts';
import { readNumbers } from '../../model/storedWeights.ts';
import type { GgufWeights } from './tensors.ts';

/** llama.cpp's architectures that are read, and the classes of transformers that compute the same. */
const CLASSES = {
  llama: ['llama', 'LlamaForCausalLM'],
  qwen2: ['qwen2', 'Qwen2ForCausalLM'],
  qwen3: ['qwen3', 'Qwen3ForCausalLM'],
  gemma3: ['gemma3_text', 'Gemma3ForCausalLM'],
  smollm3: ['smollm3', 'SmolLM3ForCausalLM'],
  granite: ['granite', 'GraniteForCausalLM'],
} as const satisfies Readonly<Record<string, readonly [modelType: string, architecture: string]>>;
export type Architecture = keyof typeof CLASSES;

/** The parts of other architectures that are not built here, by the beginning of their names; the first that fits is told. */
const MISSING: readonly (readonly [beginning: RegExp, part: string])[] = [
  [/moe|mixtral|grok|dbrx|deepseek2|gpt-oss|jamba/, 'a mixture of experts'],
  [
    /^(mamba|rwkv|falcon-h1|granitehybrid|nemotron_h|plamo2|lfm2|qwen3next|kimi-linear)/,
    'layers with a state',
  ],
  [/^(bert|nomic-bert|jina-bert|modern-bert|t5|t5encoder|gemma-embedding)/, 'an encoder'],
  [/^(clip|llava|qwen2vl|qwen3vl|mllama|pixtral|cogvlm)/, 'images'],
  [/^(gemma|gemma2|gemma3n|gemma4)$/, 'this generation of Gemma (soft caps, or inputs to each layer)'],
  [
    /^(phi2|phi3|gptneox|gpt2|mpt|bloom|starcoder|starcoder2|falcon|stablelm|olmo|olmo2|command-r|cohere2)/,
    'this kind of block',
  ],
];

const FEW_KEYS = 'Use a file that llama.cpp’s convert_hf_to_gguf.py wrote.';

/** @throws GgufError for anything but a whole model of a supported architecture. */
export function architectureOf(metadata: Metadata): Architecture {
  const refuse = (what: string): never => {
    throw new GgufError(what);
  };
  const parts = metadata.number('split.count') ?? 1;
  if (parts > 1)
    refuse(
      `this is part ${(metadata.number('split.no') ?? 0) + 1} of ${parts} of a model; a single file is needed. Join them: llama-gguf-split --merge FIRST-PART OUTPUT.`,
    );
  const type = metadata.text('general.type') ?? 'model';
  if (type !== 'model')
    refuse(
      type === 'adapter'
        ? 'this GGUF file is a LoRA adapter without its base. Take the adapter in PEFT’s files, and name its base as the model.'
        : `this GGUF file is of the type "${type}"; a model is needed.`,
    );
  const found = metadata.text('general.architecture');
  if (found === undefined) return refuse(`general.architecture is missing. ${FEW_KEYS}`);
  if (Object.hasOwn(CLASSES, found)) return found as Architecture;
  const part = MISSING.find(([beginning]) => beginning.test(found))?.[1];
  return refuse(
    `the architecture is "${found.slice(0, 60)}"${part === undefined ? '' : `, which needs ${part}`}; supported are ${Object.keys(CLASSES).join(', ')}. Choose a model of one of these.`,
  );
}

/** The values of one architecture, whose keys begin with its name. */
class Keys {
  readonly #metadata: Metadata;
  readonly #architecture: string;

  constructor(metadata: Metadata, architecture: string) {
    this.#metadata = metadata;
    this.#architecture = architecture;
  }

  optional(key: string): number | undefined {
    return this.#metadata.ofAllLayers(`${this.#architecture}.${key}`);
  }

  required(key: string): number {
    return this.optional(key) ?? this.#metadata.required(`${this.#architecture}.${key}`);
  }

  text(key: string): string | undefined {
    return this.#metadata.text(`${this.#architecture}.${key}`);
  }
}

/** Fields of `config.json`. */
interface ConfigJson extends Readonly<Record<string, unknown>> {
  readonly head_dim: number;
}

/** @throws GgufError where a key is missing, or a part is not supported. */
export async function configOf(
  { metadata, tensors }: GgufHeader,
  weights: GgufWeights,
  architecture: Architecture,
): Promise<ConfigJson> {
  const keys = new Keys(metadata, architecture);
  const experts = keys.optional('expert_count') ?? 0;
  if (experts > 0)
    throw new GgufError(
      `the model is a mixture of ${experts} experts; supported are layers with one MLP. Choose a dense model.`,
    );
  const layers = keys.required('block_count');
  if (!Number.isInteger(layers) || layers < 1 || layers > tensors.size)
    throw new GgufError(
      `${architecture}.block_count is ${layers}, and the file has ${tensors.size} tensors; layers have several each. The file is damaged; download it again.`,
    );
  const [modelType, className] = CLASSES[architecture];
  const hidden = keys.required('embedding_length');
  const heads = keys.required('attention.head_count');
  const headDim = keys.optional('attention.key_length') ?? hidden / heads;
  const rotated = keys.optional('rope.dimension_count') ?? headDim;
  return {
    architectures: [className],
    model_type: modelType,
    vocab_size: weights.vocabSize,
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: keys.optional('attention.head_count_kv') ?? heads,
    head_dim: headDim,
    intermediate_size: keys.required('feed_forward_length'),
    hidden_act: 'silu',
    rms_norm_eps: keys.required('attention.layer_norm_rms_epsilon'),
    max_position_embeddings: keys.required('context_length'),
    rope_theta: keys.optional('rope.freq_base') ?? 10000,
    rope_scaling: await ropeScaling(keys, weights),
    ...(rotated === headDim ? {} : { partial_rotary_factor: rotated / headDim }),
    tie_word_embeddings: !weights.has('output.weight'),
    attention_bias: weights.has('blk.0.attn_q.bias'),
    mlp_bias: weights.has('blk.0.ffn_up.bias'),
    torch_dtype: 'float32',
    ...tokensOf(metadata),
    ...ownFields(architecture, keys),
  };
}

function tokensOf(metadata: Metadata): object {
  const ids = ['bos', 'eos'].map((name) => [
    `${name}_token_id`,
    metadata.number(`tokenizer.ggml.${name}_token_id`) ?? null,
  ]);
  return Object.fromEntries(ids) as object;
}

/** The number of layers of the only Gemma 3 whose attention is scaled by another width than that of its heads. */
const LAYERS_OF_GEMMA_27B = 62;
/** Every so many layers one is global (Gemma 3) or without RoPE (SmolLM3), where the file says nothing else. */
const GLOBAL_EVERY = 6;
const NO_ROPE_EVERY = 4;
/** The base of RoPE in the local layers of Gemma 3. */
const LOCAL_BASE = 10000;

function ownFields(architecture: Architecture, keys: Keys): object {
  switch (architecture) {
    case 'llama':
      return {};
    case 'qwen2':
    case 'qwen3':
      return { use_sliding_window: false, sliding_window: null };
    case 'smollm3': {
      const layers = keys.required('block_count');
      return {
        no_rope_layer_interval: NO_ROPE_EVERY,
        no_rope_layers: Array.from({ length: layers }, (_, i) => ((i + 1) % NO_ROPE_EVERY === 0 ? 0 : 1)),
        use_sliding_window: false,
        sliding_window: null,
      };
    }
    case 'granite': {
      const heads = keys.required('embedding_length') / keys.required('attention.head_count');
      return {
        attention_multiplier: keys.optional('attention.scale') ?? 1 / Math.sqrt(heads),
        embedding_multiplier: keys.optional('embedding_scale') ?? 1,
        residual_multiplier: keys.optional('residual_scale') ?? 1,
        logits_scaling: keys.optional('logit_scale') ?? 1,
      };
    }
    case 'gemma3':
      return gemmaFields(keys);
  }
}

function gemmaFields(keys: Keys): object {
  const layers = keys.required('block_count');
  const heads = keys.required('attention.head_count');
  const hidden = keys.required('embedding_length');
  const every = keys.optional('attention.sliding_window_pattern') ?? GLOBAL_EVERY;
  return {
    hidden_act: 'gelu_pytorch_tanh',
    hidden_activation: 'gelu_pytorch_tanh',
    query_pre_attn_scalar:
      layers === LAYERS_OF_GEMMA_27B
        ? hidden / heads
        : (keys.optional('attention.key_length') ?? hidden / heads),
    rope_local_base_freq: keys.optional('rope.freq_base_swa') ?? LOCAL_BASE,
    sliding_window: keys.required('attention.sliding_window'),
    sliding_window_pattern: every,
    layer_types: Array.from({ length: layers }, (_, i) =>
      (i + 1) % every === 0 ? 'full_attention' : 'sliding_attention',
    ),
    attn_logit_softcapping: keys.optional('attn_logit_softcapping') ?? null,
    final_logit_softcapping: keys.optional('final_logit_softcapping') ?? null,
  };
}

/** RoPE's scaling; of a kind that is not supported under its own name, which `parseModelConfig` refuses. */
async function ropeScaling(keys: Keys, weights: GgufWeights): Promise<object | null> {
  const factors = weights.ropeFactors;
  if (factors !== null) {
    const numbers = await readNumbers(factors, 0, factors.shape[0] ?? 0);
    return llama3Scaling(numbers, keys.optional('rope.freq_base') ?? 10000);
  }
  const type = keys.text('rope.scaling.type') ?? 'none';
  const factor = keys.optional('rope.scaling.factor') ?? keys.optional('rope.scale_linear') ?? 1;
  if (type === 'none' && factor === 1) return null;
  return { rope_type: type === 'none' ? 'linear' : type, factor };
}
