import type { HostMemory } from '../../backend/host.ts';
import { type WasmBody, input, type Inputs, pointers } from '../../backend/kernelRegistry.ts';

export interface HeadRotationAttributes {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** The epsilon of the norm over each head; it has no meaning without a norm. */
  readonly epsilon: number;
  /** The number that is added to the scales of the norms. */
  readonly shift: number;
  /** The first elements of the scales of the head norms in their tensors. */
  readonly queryNormOffset: number;
  readonly keyNormOffset: number;
}

export interface HeadRotationGradientAttributes extends HeadRotationAttributes {
  /** The first elements of the scales' gradients; they have no meaning if the scales are frozen. */
  readonly queryNormGradientOffset: number;
  readonly keyNormGradientOffset: number;
}

/** The least rows of one thread. */
const GRAIN = 64;
/** The rows of a partial sum of the norms' gradients: the order of summation is the same on any number of threads. */
const CHUNK = 64;

/** The address of an input, or 0 if it is missing. */
function optional(memory: HostMemory, inputs: Inputs, name: string, offset: number): number {
  const tensor = inputs[name];
  return tensor ? memory.pointer(tensor, offset) : 0;
}

export const headRotationOnWasm: WasmBody<HeadRotationAttributes> = (
  memory,
  inputs,
  { heads, kvHeads, headDim, epsilon, shift, queryNormOffset, keyNormOffset },
) => {
  const qkv = input(inputs, 'qkv');
  const [rows = 0] = qkv.shape;
  const output = memory.allocate([...qkv.shape], 'float32');
  memory.parallel(
    'headRotation',
    rows,
    GRAIN,
    memory.pointer(qkv),
    ...pointers(memory, inputs, 'positions', 'cosines', 'sines'),
    optional(memory, inputs, 'queryNorm', queryNormOffset),
    optional(memory, inputs, 'keyNorm', keyNormOffset),
    memory.pointer(output),
    heads,
    kvHeads,
    headDim,
    epsilon,
    shift,
  );
  return [output];
};

export const headRotationGradientOnWasm: WasmBody<HeadRotationGradientAttributes> = (
  memory,
  inputs,
  attributes,
) => {
  const { heads, kvHeads, headDim, epsilon, shift, queryNormOffset, keyNormOffset } = attributes;
  const dy = input(inputs, 'dy');
  const [rows = 0] = dy.shape;
  const output = memory.allocate([...dy.shape], 'float32');
  const chunks = Math.ceil(rows / CHUNK);
  const queryNorm = optional(memory, inputs, 'queryNorm', queryNormOffset);
  const parts = queryNorm === 0 ? 0 : memory.scratch(2 * chunks * headDim);
  const keyParts = parts + 4 * chunks * headDim;
  memory.parallel(
    'headRotationGradient',
    chunks,
    1,
    memory.pointer(input(inputs, 'qkv')),
    memory.pointer(dy),
    ...pointers(memory, inputs, 'positions', 'cosines', 'sines'),
    queryNorm,
    optional(memory, inputs, 'keyNorm', keyNormOffset),
    memory.pointer(output),
    parts,
    keyParts,
    rows,
    CHUNK,
    heads,
    kvHeads,
    headDim,
    epsilon,
    shift,
  );
  const { queryNormGradient, keyNormGradient } = inputs;
  if (queryNormGradient && keyNormGradient) {
    const { queryNormGradientOffset, keyNormGradientOffset } = attributes;
    const query = memory.pointer(queryNormGradient, queryNormGradientOffset);
    const key = memory.pointer(keyNormGradient, keyNormGradientOffset);
    memory.call('columnSums', 0, headDim, parts, chunks, headDim, query);
    memory.call('columnSums', 0, headDim, keyParts, chunks, headDim, key);
  }
  return [output];
};
