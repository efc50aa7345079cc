/** The tensors of a GGUF file under Hugging Face's names, in Hugging Face's order of rows. They are read when they are needed. */
import {
  bytesOfElements,
  calculatedTensor,
  readNumbers,
  type StoredTensor,
  type StoredWeights,
} from '../../model/storedWeights.ts';
import { ModelFileError, type OpenFile } from '../types.ts';
import type { GgufHeader, GgufTensor } from './header.ts';

const WHOLE: Readonly<Record<string, string>> = {
  token_embd: 'model.embed_tokens',
  output_norm: 'model.norm',
  output: 'lm_head',
};
const IN_LAYER: Readonly<Record<string, string>> = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k_norm: 'self_attn.k_norm',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
};
/** Gemma 3 has norms before and behind. */
const IN_GEMMA_LAYER: Readonly<Record<string, string>> = {
  ...IN_LAYER,
  post_attention_norm: 'post_attention_layernorm',
  ffn_norm: 'pre_feedforward_layernorm',
  post_ffw_norm: 'post_feedforward_layernorm',
};

const EMBEDDING = 'token_embd.weight';
/** The factors of RoPE's frequencies, which Hugging Face's config has as numbers. */
const ROPE_FACTORS = 'rope_freqs.weight';

/** Architectures whose RoPE turns pairs of neighbours in llama.cpp, where Hugging Face's turns the two halves of a head. */
const TURNS_NEIGHBOURS: readonly string[] = ['llama', 'smollm3', 'granite'];

/** Parts of tensor names of what is not built here. */
const MISSING: readonly (readonly [part: RegExp, what: string])[] = [
  [/_exps?\b|_shexp|ffn_gate_inp/, 'a mixture of experts'],
  [/^(v|mm|a)\./, 'images or sound'],
  [/attn_qkv/, 'queries, keys and values in one matrix'],
  [/ssm_|time_mix/, 'layers with a state'],
  [/rope_factors_/, 'RoPE with long and short factors'],
  [/attn_sinks/, 'attention sinks'],
];

export class GgufWeights {
  readonly #file: OpenFile;
  readonly #tensors: GgufHeader['tensors'];
  readonly #label: string;

  constructor(file: OpenFile, { tensors }: GgufHeader, label: string) {
    this.#file = file;
    this.#tensors = tensors;
    this.#label = label;
  }

  /** True for a tensor of this name in the file. */
  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  /** The rows of the embedding. @throws ModelFileError where it is missing. */
  get vocabSize(): number {
    const rows = this.#tensors.get(EMBEDDING)?.shape[0];
    if (rows !== undefined) return rows;
    throw new ModelFileError(
      `${this.#label}: the tensor ${EMBEDDING} is missing, which every model has. The file holds no whole model; choose another.`,
    );
  }

  get ropeFactors(): StoredTensor | null {
    const tensor = this.#tensors.get(ROPE_FACTORS);
    return tensor === undefined ? null : this.#stored(tensor);
  }

  /** @throws ModelFileError naming a tensor that the architecture does not have. */
  underHuggingFaceNames(architecture: string, headDim: number): StoredWeights {
    const weights = new Map<string, StoredTensor>();
    for (const [name, tensor] of this.#tensors) {
      if (name === ROPE_FACTORS) continue;
      const module = moduleOf(name, architecture);
      if (module === null) this.#refuse(name, architecture);
      const kind = name.endsWith('.bias') ? 'bias' : 'weight';
      weights.set(`${module}.${kind}`, this.#converted(tensor, module, architecture, headDim));
    }
    return weights;
  }

  #refuse(name: string, architecture: string): never {
    const what = MISSING.find(([part]) => part.test(name))?.[1] ?? 'something that is not built here';
    throw new ModelFileError(
      `${this.#label}: the tensor "${name}" is none of the supported parts of ${architecture}: the model needs ${what}. Choose another model.`,
    );
  }

  #converted(tensor: GgufTensor, module: string, architecture: string, headDim: number): StoredTensor {
    const stored = this.#stored(tensor);
    if (architecture === 'gemma3' && module.endsWith('norm')) return lessOne(stored);
    if (TURNS_NEIGHBOURS.includes(architecture) && /\.(q|k)_proj$/.test(module))
      return inHalves(stored, headDim, `${this.#label}: the tensor "${tensor.name}"`);
    return stored;
  }

  #stored({ shape, dtype, begin }: GgufTensor): StoredTensor {
    return { shape, dtype, read: (from, to) => this.#file.read(begin + from, begin + to) };
  }
}

/** Hugging Face's name of the module that a tensor belongs to; null for a tensor that is not known. */
function moduleOf(name: string, architecture: string): string | null {
  const [, path = ''] = /^(.+)\.(?:weight|bias)$/.exec(name) ?? [];
  const [, layer, part = ''] = /^blk\.(\d{1,5})\.(.+)$/.exec(path) ?? [];
  if (layer === undefined) return own(WHOLE, path);
  const module = own(architecture === 'gemma3' ? IN_GEMMA_LAYER : IN_LAYER, part);
  return module && `model.layers.${layer}.${module}`;
}

const own = (names: Readonly<Record<string, string>>, name: string): string | null =>
  Object.hasOwn(names, name) ? (names[name] ?? null) : null;

/** Norms of Gemma, which GGUF keeps as 1 + w. */
function lessOne(tensor: StoredTensor): StoredTensor {
  return calculatedTensor(tensor.shape, 'F32', async (begin, end) =>
    (await readNumbers(tensor, begin, end)).map((value) => value - 1),
  );
}

/**
 * The rows of each head with those of even places first. Blocks lie in rows, so they are moved and not changed. Only the heads that are asked
 * for are read.
 */
function inHalves(tensor: StoredTensor, headDim: number, what: string): StoredTensor {
  const [rows = 0, columns = 1] = tensor.shape;
  if (headDim % 2 !== 0 || rows % headDim !== 0)
    throw new ModelFileError(
      `${what} has ${rows} rows, which are no heads of ${headDim} rows each. The file is damaged or no model of this kind.`,
    );
  const width = bytesOfElements(tensor.dtype, columns);
  const headBytes = headDim * width;
  return {
    shape: tensor.shape,
    dtype: tensor.dtype,
    async read(begin, end) {
      const first = Math.floor(begin / headBytes) * headBytes;
      const stored = await tensor.read(first, Math.ceil(end / headBytes) * headBytes);
      const moved = new Uint8Array(stored.length);
      for (let row = 0; row * width < moved.length; row++) {
        const place = row % headDim;
        const half = headDim / 2;
        const from = row - place + (place < half ? 2 * place : 2 * (place - half) + 1);
        moved.set(stored.subarray(from * width, (from + 1) * width), row * width);
      }
      return moved.subarray(begin - first, end - first);
    },
  };
}
