/** llama.cpp's names for the tensors of a model, and its order of their rows. */
import { bytesOfElements, type StoredTensor } from '../../model/storedWeights.ts';

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

const namesInLayer = (architecture: string): Readonly<Record<string, string>> =>
  architecture === 'gemma3' ? IN_GEMMA_LAYER : IN_LAYER;

const own = (names: Readonly<Record<string, string>>, name: string): string | null =>
  Object.hasOwn(names, name) ? (names[name] ?? null) : null;

/** Hugging Face's name of the module that a tensor belongs to; null for a tensor that is not known. */
export function moduleOfTensor(name: string, architecture: string): string | null {
  const [, path = ''] = /^(.+)\.(?:weight|bias)$/.exec(name) ?? [];
  const [, layer, part = ''] = /^blk\.(\d{1,5})\.(.+)$/.exec(path) ?? [];
  if (layer === undefined) return own(WHOLE, path);
  const module = own(namesInLayer(architecture), part);
  return module && `model.layers.${layer}.${module}`;
}

/** llama.cpp's name of a module: `model.layers.3.mlp.up_proj` becomes `blk.3.ffn_up`. */
export function tensorOfModule(module: string, architecture: string): string {
  const [, layer, part] = /^model\.layers\.(\d+)\.(.+)$/.exec(module) ?? [];
  const names = layer === undefined ? WHOLE : namesInLayer(architecture);
  const name = Object.keys(names).find((each) => names[each] === (part ?? module));
  if (name === undefined) throw new Error(`GGUF has no name for ${module}.`);
  return layer === undefined ? name : `blk.${layer}.${name}`;
}

/** Architectures whose RoPE turns pairs of neighbours in llama.cpp, where Hugging Face's turns the two halves of a head. */
const TURNS_NEIGHBOURS: readonly string[] = ['llama', 'smollm3', 'granite'];

/** True for the rows of queries and keys that lie in another order in llama.cpp. */
export const isReordered = (module: string, architecture: string): boolean =>
  TURNS_NEIGHBOURS.includes(architecture) && /\.(q|k)_proj$/.test(module);

/**
 * The tensor whose row `place` of each head is row `from(place)` of the same head. Blocks lie in rows, so they are moved and not changed. Only
 * the heads that are asked for are read.
 */
function withRowsOfHeads(
  tensor: StoredTensor,
  headDim: number,
  from: (place: number) => number,
): StoredTensor {
  const width = bytesOfElements(tensor.dtype, tensor.shape[1] ?? 1);
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
        const source = row - place + from(place);
        moved.set(stored.subarray(source * width, (source + 1) * width), row * width);
      }
      return moved.subarray(begin - first, end - first);
    },
  };
}

/** Hugging Face's order of the rows of each head: those of even places in llama.cpp's come first. */
export function inHalves(tensor: StoredTensor, headDim: number): StoredTensor {
  const half = headDim / 2;
  return withRowsOfHeads(tensor, headDim, (place) => (place < half ? 2 * place : 2 * (place - half) + 1));
}

/** llama.cpp's order: the rows of the two halves by turns. */
export const byTurns = (tensor: StoredTensor, headDim: number): StoredTensor =>
  withRowsOfHeads(tensor, headDim, (place) => (place % 2) * (headDim / 2) + Math.floor(place / 2));
