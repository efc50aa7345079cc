import { type WasmBody, input } from '../../backend/kernelRegistry.ts';

export interface RmsNormAttributes {
  readonly epsilon: number;
  /** The number that is added to γ. */
  readonly shift: number;
  /** The first element of γ in its tensor. */
  readonly gammaOffset: number;
}

export interface RmsNormGradientAttributes extends RmsNormAttributes {
  /** The first element of dγ; it has no meaning if γ is frozen. */
  readonly gammaGradientOffset: number;
}

/** The least rows of one thread. */
const GRAIN = 128;
/** The rows of a partial sum of dγ: the order of summation is the same on any number of threads. */
const CHUNK = 64;

export const rmsNormOnWasm: WasmBody<RmsNormAttributes> = (
  memory,
  inputs,
  { epsilon, shift, gammaOffset },
) => {
  const x = input(inputs, 'x');
  const [rows = 0, width = 0] = x.shape;
  const output = memory.allocate([rows, width], 'float32');
  const gamma = memory.pointer(input(inputs, 'gamma'), gammaOffset);
  const addresses = [memory.pointer(x), gamma, memory.pointer(output)];
  memory.parallel('rmsNorm', rows, GRAIN, ...addresses, width, epsilon, shift);
  return [output];
};

export const rmsNormGradientOnWasm: WasmBody<RmsNormGradientAttributes> = (
  memory,
  inputs,
  { epsilon, shift, gammaOffset, gammaGradientOffset },
) => {
  const x = input(inputs, 'x');
  const { residual, gammaGradient } = inputs;
  const [rows = 0, width = 0] = x.shape;
  const output = memory.allocate([rows, width], 'float32');
  const chunks = Math.ceil(rows / CHUNK);
  const parts = memory.scratch(chunks * width);
  memory.parallel(
    'rmsNormGradient',
    chunks,
    2,
    memory.pointer(x),
    memory.pointer(input(inputs, 'gamma'), gammaOffset),
    memory.pointer(input(inputs, 'dy')),
    residual ? memory.pointer(residual) : 0,
    memory.pointer(output),
    parts,
    rows,
    CHUNK,
    width,
    epsilon,
    shift,
  );
  if (gammaGradient) {
    const target = memory.pointer(gammaGradient, gammaGradientOffset);
    memory.call('columnSums', 0, width, parts, chunks, width, target);
  }
  return [output];
};
