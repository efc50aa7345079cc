import { f32, u32, type Binding, type GpuDispatcher, type UniformWord } from '../../backend/dispatch.ts';
import { type WebGpuBody, input } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { lanesFor, launchGroups, launchItems } from '../shared/launch.ts';
import { addRowSums, ROWS_PER_SUM } from '../columnSums/columnSums.ts';
import { pieceFunctions, widestPiece } from '../shared/vectors.ts';
import type { RmsNormAttributes, RmsNormGradientAttributes } from './wasm.ts';

function uniformsOf(width: number, epsilon: number): Record<string, UniformWord> {
  return { pieces: u32(width / widestPiece(width).size), width: f32(width), epsilon: f32(epsilon) };
}

export const rmsNormOnWebGpu: WebGpuBody<RmsNormAttributes> = (gpu, inputs, { epsilon, gammaOffset }) => {
  const x = input(inputs, 'x');
  const [rows = 0, width = 0] = x.shape;
  const gamma = { tensor: input(inputs, 'gamma'), offset: gammaOffset, length: width };
  const piece = widestPiece(width);
  const y = gpu.allocate([rows, width], 'float32');
  launchGroups(
    gpu,
    {
      key: `rms-norm-${piece.type}`,
      items: rows,
      reads: { [`x: ${piece.type}`]: x, [`gamma: ${piece.type}`]: gamma },
      writes: { [`y: ${piece.type}`]: y },
      uniforms: uniformsOf(width, epsilon),
      declarations: () => pieceFunctions(piece),
      body: () => /* wgsl */ `
  let base = item * params.pieces;
  var squares = ${piece.type}();
  for (var i = lane; i < params.pieces; i += LANES) { squares = fma(x[base + i], x[base + i], squares); }
  let r = inverseSqrt(sumOverLanes(total(squares), lane) / params.width + params.epsilon);
  for (var i = lane; i < params.pieces; i += LANES) { y[base + i] = x[base + i] * r * gamma[i]; }`,
    },
    lanesFor(gpu, width),
  );
  return [y];
};

interface NormGradient {
  readonly x: TensorInfo;
  readonly dy: TensorInfo;
  readonly gamma: Binding;
  readonly residual: TensorInfo | undefined;
  readonly epsilon: number;
}

/** Outputs dx [N, D]. dγ is summed within chunks of rows and then over the chunks, and added to its target if there is one. */
export const rmsNormGradientOnWebGpu: WebGpuBody<RmsNormGradientAttributes> = (
  gpu,
  inputs,
  { epsilon, gammaOffset, gammaGradientOffset },
  { dispose },
) => {
  const x = input(inputs, 'x');
  const [rows = 0, width = 0] = x.shape;
  const gradient: NormGradient = {
    x,
    dy: input(inputs, 'dy'),
    gamma: { tensor: input(inputs, 'gamma'), offset: gammaOffset, length: width },
    residual: inputs['residual'],
    epsilon,
  };
  const dx = gpu.allocate([rows, width], 'float32');
  const { gammaGradient } = inputs;
  const reciprocals = gradientsOfRows(gpu, gradient, dx);
  if (gammaGradient) {
    const partials = gammaPartials(gpu, gradient, reciprocals);
    const target = { tensor: gammaGradient, offset: gammaGradientOffset, length: width };
    addRowSums(gpu, partials, target, dispose);
    dispose(partials);
  }
  dispose(reciprocals);
  return [dx];
};

/** Computes dx by lanes that share a row. Returns r of each row. */
function gradientsOfRows(
  gpu: GpuDispatcher,
  { x, dy, gamma, residual, epsilon }: NormGradient,
  dx: TensorInfo,
): TensorInfo {
  const [rows = 0, width = 0] = dx.shape;
  const piece = widestPiece(width);
  const reciprocals = gpu.allocate([rows], 'float32');
  launchGroups(
    gpu,
    {
      key: `rms-norm-gradient-${piece.type}${residual ? '-residual' : ''}`,
      items: rows,
      reads: {
        [`x: ${piece.type}`]: x,
        [`dy: ${piece.type}`]: dy,
        [`gamma: ${piece.type}`]: gamma,
        ...(residual ? { [`residual: ${piece.type}`]: residual } : {}),
      },
      writes: { [`dx: ${piece.type}`]: dx, 'reciprocals: f32': reciprocals },
      uniforms: uniformsOf(width, epsilon),
      declarations: () => pieceFunctions(piece),
      body: () => /* wgsl */ `
  let base = item * params.pieces;
  var squares = ${piece.type}();
  var products = ${piece.type}();
  for (var i = lane; i < params.pieces; i += LANES) {
    squares = fma(x[base + i], x[base + i], squares);
    products = fma(dy[base + i] * gamma[i], x[base + i], products);
  }
  let r = inverseSqrt(sumOverLanes(total(squares), lane) / params.width + params.epsilon);
  let pull = sumOverLanes(total(products), lane) / params.width * r * r;
  for (var i = lane; i < params.pieces; i += LANES) {
    dx[base + i] = ${residual ? 'residual[base + i] + ' : ''}r * (dy[base + i] * gamma[i] - x[base + i] * pull);
  }
  if (lane == 0u) { reciprocals[item] = r; }`,
    },
    lanesFor(gpu, width),
  );
  return reciprocals;
}

function gammaPartials(gpu: GpuDispatcher, { x, dy }: NormGradient, reciprocals: TensorInfo): TensorInfo {
  const [rows = 0, width = 0] = x.shape;
  const partials = gpu.allocate([Math.ceil(rows / ROWS_PER_SUM), width], 'float32');
  const { type, size } = widestPiece(width);
  launchItems(gpu, {
    key: `rms-norm-gamma-partials-${type}`,
    items: (Math.ceil(rows / ROWS_PER_SUM) * width) / size,
    reads: { [`x: ${type}`]: x, [`dy: ${type}`]: dy, 'reciprocals: f32': reciprocals },
    writes: { [`partials: ${type}`]: partials },
    uniforms: { pieces: u32(width / size), rows: u32(rows) },
    body: () => /* wgsl */ `
  let column = item % params.pieces;
  let first = item / params.pieces * ${ROWS_PER_SUM}u;
  var sum = ${type}();
  for (var row = first; row < min(first + ${ROWS_PER_SUM}u, params.rows); row++) {
    sum += dy[row * params.pieces + column] * x[row * params.pieces + column] * reciprocals[row];
  }
  partials[item] = sum;`,
  });
  return partials;
}
