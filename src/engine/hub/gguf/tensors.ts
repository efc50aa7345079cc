/** The tensors of a GGUF file under Hugging Face's names, in Hugging Face's order of rows. They are read when they are needed. */
import {
  calculatedTensor,
  readNumbers,
  type StoredTensor,
  type StoredWeights,
} from '../../model/storedWeights.ts';
import { GgufError } from './ggufError.ts';
import type { GgufHeader, GgufTensor, RandomAccess } from './header.ts';
import { inHalves, isReordered, moduleOfTensor } from './tensorNames.ts';

const EMBEDDING = 'token_embd.weight';
/** The factors of RoPE's frequencies, which Hugging Face's config has as numbers. */
const ROPE_FACTORS = 'rope_freqs.weight';

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
  readonly #file: RandomAccess;
  readonly #tensors: GgufHeader['tensors'];

  constructor(file: RandomAccess, { tensors }: GgufHeader) {
    this.#file = file;
    this.#tensors = tensors;
  }

  /** True for a tensor of this name in the file. */
  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  /** The rows of the embedding. @throws GgufError where it is missing. */
  get vocabSize(): number {
    const rows = this.#tensors.get(EMBEDDING)?.shape[0];
    if (rows !== undefined) return rows;
    throw new GgufError(
      `the tensor ${EMBEDDING} is missing, which every model has. The file holds no whole model; choose another.`,
    );
  }

  get ropeFactors(): StoredTensor | null {
    const tensor = this.#tensors.get(ROPE_FACTORS);
    return tensor === undefined ? null : this.#stored(tensor);
  }

  /** @throws GgufError naming a tensor that the architecture does not have. */
  underHuggingFaceNames(architecture: string, headDim: number): StoredWeights {
    const weights = new Map<string, StoredTensor>();
    for (const [name, tensor] of this.#tensors) {
      if (name === ROPE_FACTORS) continue;
      const module = moduleOfTensor(name, architecture);
      if (module === null) this.#refuse(name, architecture);
      const kind = name.endsWith('.bias') ? 'bias' : 'weight';
      weights.set(`${module}.${kind}`, this.#converted(tensor, module, architecture, headDim));
    }
    return weights;
  }

  #refuse(name: string, architecture: string): never {
    const what = MISSING.find(([part]) => part.test(name))?.[1] ?? 'something that is not built here';
    throw new GgufError(
      `the tensor "${name}" is none of the supported parts of ${architecture}: the model needs ${what}. Choose another model.`,
    );
  }

  #converted(tensor: GgufTensor, module: string, architecture: string, headDim: number): StoredTensor {
    const stored = this.#stored(tensor);
    if (architecture === 'gemma3' && module.endsWith('norm')) return lessOne(stored);
    if (!isReordered(module, architecture)) return stored;
    const [rows = 0] = tensor.shape;
    if (headDim % 2 !== 0 || rows % headDim !== 0)
      throw new GgufError(
        `the tensor "${tensor.name}" has ${rows} rows, which are no heads of ${headDim} rows each. The file is damaged or no model of this kind.`,
      );
    return inHalves(stored, headDim);
  }

  #stored({ shape, dtype, begin }: GgufTensor): StoredTensor {
    return { shape, dtype, read: (from, to) => this.#file.read(begin + from, begin + to) };
  }
}

/** Norms of Gemma, which GGUF keeps as 1 + w. */
function lessOne(tensor: StoredTensor): StoredTensor {
  return calculatedTensor(tensor.shape, 'F32', async (begin, end) =>
    (await readNumbers(tensor, begin, end)).map((value) => value - 1),
  );
}
