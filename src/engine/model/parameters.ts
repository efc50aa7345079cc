/**
 * Names, shapes and layout of every parameter, both in a Hugging Face file and in our pool. In the pool, the maps that share an input are
 * one matrix (q | k | v and gate | up, side by side), so that one product does the work of three. All matrices come before all vectors,
 * so that one bound separates what weight decay acts on.
 */
import type { ModelConfig } from './config.ts';
import { EMBEDDING, FINAL_NORM, HEAD } from './weightNames.ts';

export interface HuggingFaceSpec {
  readonly name: string;
  /** The shape; linear weights are [out, in]. */
  readonly shape: readonly number[];
}

/** The place of a Hugging Face tensor in one of our parameters: it fills `columns` columns from `column` on. */
export interface ParameterPart extends HuggingFaceSpec {
  readonly column: number;
  readonly columns: number;
}

export interface ParameterSpec {
  readonly name: string;
  /** The shape. Linear weights are [in, out], so that a forward product transposes nothing; embedding and head stay [V, D]. */
  readonly shape: readonly number[];
  /** True if the Hugging Face form is the transpose. */
  readonly transposed: boolean;
  /** True if weight decay acts on it: on matrices, not on norms and biases. */
  readonly decay: boolean;
  /** The offset of its first float in the pool, a multiple of `ALIGNMENT`. */
  readonly offset: number;
  readonly parts: readonly ParameterPart[];
}

type UnplacedSpec = Omit<ParameterSpec, 'offset'>;

/** The alignment in floats: 256 bytes, the offset at which WebGPU may bind a part of a buffer. */
export const ALIGNMENT = 64;

/** The number of entries of a tensor of that shape. */
export const sizeOf = (shape: readonly number[]): number =>
  shape.reduce((product, extent) => product * extent, 1);

/** The floats that a tensor of `size` floats takes in a pool. */
export const alignedLength = (size: number): number => Math.ceil(size / ALIGNMENT) * ALIGNMENT;

function table(name: string, rows: number, columns: number): UnplacedSpec {
  const shape = [rows, columns];
  return { name, shape, transposed: false, decay: true, parts: [{ name, shape, column: 0, columns }] };
}

/** Makes one parameter of several vectors, side by side. */
function vectors(name: string, parts: readonly (readonly [string, number])[]): UnplacedSpec {
  let column = 0;
  const placed = parts.map(([part, columns]): ParameterPart => {
    const spec = { name: part, shape: [columns], column, columns };
    column += columns;
    return spec;
  });
  return { name, shape: [column], transposed: false, decay: false, parts: placed };
}

const vector = (name: string, length: number): UnplacedSpec => vectors(name, [[name, length]]);

/** Makes one matrix of linear maps that share an input, side by side, and one vector of their biases. */
function linear(
  name: string,
  inputs: number,
  outputs: readonly (readonly [string, number])[],
  bias: boolean,
): UnplacedSpec[] {
  let column = 0;
  const parts = outputs.map(([part, columns]): ParameterPart => {
    const spec = { name: `${part}.weight`, shape: [columns, inputs], column, columns };
    column += columns;
    return spec;
  });
  const weight: UnplacedSpec = {
    name: `${name}.weight`,
    shape: [inputs, column],
    transposed: true,
    decay: true,
    parts,
  };
  const biases = outputs.map(([part, columns]) => [`${part}.bias`, columns] as const);
  return bias ? [weight, vectors(`${name}.bias`, biases)] : [weight];
}

/** The names of a block's norms within its layer: before attention and MLP, and behind them where a model has such. */
export const blockNorms = ({ normsBehind }: Pick<ModelConfig, 'normsBehind'>) =>
  normsBehind
    ? {
        attention: 'input_layernorm.weight',
        behindAttention: 'post_attention_layernorm.weight',
        mlp: 'pre_feedforward_layernorm.weight',
        behindMlp: 'post_feedforward_layernorm.weight',
      }
    : {
        attention: 'input_layernorm.weight',
        behindAttention: null,
        mlp: 'post_attention_layernorm.weight',
        behindMlp: null,
      };

function layerSpecs(config: ModelConfig, layer: number): UnplacedSpec[] {
  const prefix = `model.layers.${layer}`;
  const attention = `${prefix}.self_attn`;
  const { hiddenSize, headDim } = config;
  const norms = blockNorms(config);
  const norm = (name: string | null): UnplacedSpec[] =>
    name === null ? [] : [vector(`${prefix}.${name}`, hiddenSize)];
  const queries = config.heads * headDim;
  const keys = config.kvHeads * headDim;
  const single = (name: string, inputs: number, outputs: number, bias: boolean): UnplacedSpec[] =>
    linear(name, inputs, [[name, outputs]], bias);
  return [
    ...norm(norms.attention),
    ...linear(
      `${attention}.qkv_proj`,
      hiddenSize,
      [
        [`${attention}.q_proj`, queries],
        [`${attention}.k_proj`, keys],
        [`${attention}.v_proj`, keys],
      ],
      config.qkvBias,
    ),
    ...(config.qkNorm
      ? [vector(`${attention}.q_norm.weight`, headDim), vector(`${attention}.k_norm.weight`, headDim)]
      : []),
    ...single(`${attention}.o_proj`, queries, hiddenSize, config.outBias),
    ...norm(norms.behindAttention),
    ...norm(norms.mlp),
    ...mlpSpecs(config, prefix),
    ...norm(norms.behindMlp),
  ];
}

/** The maps of a block's MLP; in a file they may be one matrix of gate and up. */
function mlpSpecs(config: ModelConfig, prefix: string): UnplacedSpec[] {
  const { hiddenSize, mlpSize } = config;
  const mlp = `${prefix}.mlp`;
  const map = (name: string, inputs: number, outputs: readonly (readonly [string, number])[]) =>
    linear(`${mlp}.${name}`, inputs, outputs, config.mlpBias);
  if (config.fusedMlp) {
    const shared = `${prefix}.shared_mlp`;
    return [
      ...map('gate_up_proj', hiddenSize, [[`${shared}.input_linear`, 2 * mlpSize]]),
      ...map('down_proj', mlpSize, [[`${shared}.output_linear`, hiddenSize]]),
    ];
  }
  const up = [`${mlp}.up_proj`, mlpSize] as const;
  const inputs = config.mlp === 'relu' ? [up] : [[`${mlp}.gate_proj`, mlpSize] as const, up];
  return [
    ...map(config.mlp === 'relu' ? 'up_proj' : 'gate_up_proj', hiddenSize, inputs),
    ...map('down_proj', mlpSize, [[`${mlp}.down_proj`, hiddenSize]]),
  ];
}

/** The parameters in order of use: embedding, blocks, final norm, and the head if it is not tied. */
function specsInOrderOfUse(config: ModelConfig): UnplacedSpec[] {
  return [
    table(EMBEDDING, config.vocabSize, config.hiddenSize),
    ...Array.from({ length: config.layers }, (_, layer) => layerSpecs(config, layer)).flat(),
    vector(FINAL_NORM, config.hiddenSize),
    ...(config.tiedHead ? [] : [table(HEAD, config.vocabSize, config.hiddenSize)]),
  ];
}

/** Our name, within its layer, of the map into a block's MLP: gate and up, or up alone. */
export const mlpInput = ({ mlp }: Pick<ModelConfig, 'mlp'>): string =>
  mlp === 'relu' ? 'mlp.up_proj' : 'mlp.gate_up_proj';

/** The number of outputs of that map for each position. */
export const mlpInputs = ({ mlp, mlpSize }: Pick<ModelConfig, 'mlp' | 'mlpSize'>): number =>
  mlp === 'relu' ? mlpSize : 2 * mlpSize;

/** Every parameter in the order of the pool: matrices, then vectors, each in order of use. */
export function parameterSpecs(config: ModelConfig): ParameterSpec[] {
  const specs = specsInOrderOfUse(config);
  let offset = 0;
  return [...specs.filter(({ decay }) => decay), ...specs.filter(({ decay }) => !decay)].map((spec) => {
    const placed = { ...spec, offset };
    offset += alignedLength(sizeOf(spec.shape));
    return placed;
  });
}

export function huggingFaceSpecs(config: ModelConfig): HuggingFaceSpec[] {
  return specsInOrderOfUse(config).flatMap(({ parts }) => parts.map(({ name, shape }) => ({ name, shape })));
}

/** The number of tensors in the file and of numbers in them, without a list of the tensors. */
export function fileTotals(config: ModelConfig): { readonly tensors: number; readonly numbers: number } {
  const of = (layers: number) => {
    const specs = huggingFaceSpecs({ ...config, layers });
    return { tensors: specs.length, numbers: specs.reduce((sum, { shape }) => sum + sizeOf(shape), 0) };
  };
  const [none, one] = [of(0), of(1)];
  return {
    tensors: none.tensors + config.layers * (one.tensors - none.tensors),
    numbers: none.numbers + config.layers * (one.numbers - none.numbers),
  };
}

/** The number of floats in the pool, including the gaps of alignment. */
export function packedLength(config: ModelConfig): number {
  return parameterSpecs(config).reduce((length, { shape }) => length + alignedLength(sizeOf(shape)), 0);
}

/** The number of floats at the start of the pool that weight decay acts on. */
export function decayedLength(config: ModelConfig): number {
  return parameterSpecs(config).find(({ decay }) => !decay)?.offset ?? packedLength(config);
}

/** The number of trained scalars; a tied head counts once. */
export function parameterCount(config: ModelConfig): number {
  return parameterSpecs(config).reduce((sum, { shape }) => sum + sizeOf(shape), 0);
}

/** A matrix's [out, in], whichever way the pool has it. */
export function matrixShape({ shape, transposed }: ParameterSpec): readonly [rows: number, columns: number] {
  const [rows = 0, columns = 0] = shape;
  return transposed ? [columns, rows] : [rows, columns];
}
