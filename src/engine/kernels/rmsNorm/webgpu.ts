import { f32, u32, type Binding, type GpuDispatcher, type UniformWord } from '../../backend/dispatch.ts';
import { type WebGpuBody, input } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { lanesFor, launchGroups, launchItems } from '../shared/launch.ts';
import { addRowSums, ROWS_PER_SUM } from '../columnSums/columnSums.ts';
import { pieceFunctions, rowVectors, shifted, shiftKey, widestPiece } from '../shared/vectors.ts';
import type { RmsNormAttributes, RmsNormGradientAttributes } from './wasm.ts';

/** The widest row that is written out in named vectors on a CPU, which takes five seconds to compile a row of 256. */
const MAX_UNROLLED = 128;

function uniformsOf(width: number, epsilon: number): Record<string, UniformWord> {
  return { pieces: u32(width / widestPiece(width).size), width: f32(width), epsilon: f32(epsilon) };
}

export const rmsNormOnWebGpu: WebGpuBody<RmsNormAttributes> = (
  gpu,
  inputs,
  { epsilon, shift, gammaOffset },
) => {
  const x = input(inputs, 'x');
  const [rows = 0, width = 0] = x.shape;
  const gamma = { tensor: input(inputs, 'gamma'), offset: gammaOffset, length: width };
  const piece = widestPiece(width);
  const y = gpu.allocate([rows, width], 'float32');
  launchGroups(
    gpu,
    {
      key: `rms-norm-${piece.type}${shiftKey(shift)}`,
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
  for (var i = lane; i < params.pieces; i += LANES) { y[base + i] = x[base + i] * r * ${shifted('gamma[i]', shift)}; }`,
    },
    lanesFor(gpu, width),
  );
  return [y];
};

interface NormGradient {
  readonly shift: number;
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
  { epsilon, shift, gammaOffset, gammaGradientOffset },
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
    shift,
  };
  const dx = gpu.allocate([rows, width], 'float32');
  const partials = gpu.allocate([Math.ceil(rows / ROWS_PER_SUM), width], 'float32');
  const { gammaGradient } = inputs;
  if (width <= MAX_UNROLLED && gpu.software) {
    gradientsOfChunks(gpu, gradient, dx, partials);
  } else {
    const reciprocals = gradientsOfRows(gpu, gradient, dx);
    if (gammaGradient) gammaPartials(gpu, gradient, reciprocals, partials);
    dispose(reciprocals);
  }
  if (gammaGradient) {
    const target = { tensor: gammaGradient, offset: gammaGradientOffset, length: width };
    addRowSums(gpu, partials, target, dispose);
  }
  dispose(partials);
  return [dx];
};

function bindingsOf({ x, dy, gamma, residual }: NormGradient, type: string): Record<string, Binding> {
  return {
    [`x: ${type}`]: x,
    [`dy: ${type}`]: dy,
    [`gamma: ${type}`]: gamma,
    ...(residual ? { [`residual: ${type}`]: residual } : {}),
  };
}

/** One invocation for the rows of a partial sum of dγ, one row after the other in named vectors. */
function gradientsOfChunks(
  gpu: GpuDispatcher,
  gradient: NormGradient,
  dx: TensorInfo,
  partials: TensorInfo,
): void {
  const [rows = 0, width = 0] = dx.shape;
  const { type, inner, each, sum } = rowVectors(width);
  const residual = (i: number): string => (gradient.residual ? `residual[base + ${i}u] + ` : '');
  launchItems(gpu, {
    key: `rms-norm-gradient-chunks-${width}${gradient.residual ? '-residual' : ''}${shiftKey(gradient.shift)}`,
    items: Math.ceil(rows / ROWS_PER_SUM),
    reads: bindingsOf(gradient, type),
    writes: { [`dx: ${type}`]: dx, [`partials: ${type}`]: partials },
    uniforms: { ...uniformsOf(width, gradient.epsilon), rows: u32(rows) },
    declarations: () => inner,
    body: () => /* wgsl */ `
  let first = item * ${ROWS_PER_SUM}u;
  ${each((i) => `var dgamma${i} = ${type}();`)}
  for (var row = first; row < min(first + ${ROWS_PER_SUM}u, params.rows); row++) {
    let base = row * params.pieces;
    ${each(
      (i) => `let x${i} = x[base + ${i}u];
    let dy${i} = dy[base + ${i}u];
    let g${i} = dy${i} * ${shifted(`gamma[${i}u]`, gradient.shift)};`,
    )}
    let r = inverseSqrt((${sum((i) => `inner(x${i}, x${i})`)}) / params.width + params.epsilon);
    let pull = (${sum((i) => `inner(g${i}, x${i})`)}) / params.width * r * r;
    ${each(
      (i) => `dx[base + ${i}u] = ${residual(i)}r * (g${i} - x${i} * pull);
    dgamma${i} += dy${i} * x${i} * r;`,
    )}
  }
  ${each((i) => `partials[item * params.pieces + ${i}u] = dgamma${i};`)}`,
  });
}

/** Computes dx by lanes that share a row. Returns r of each row. */
function gradientsOfRows(gpu: GpuDispatcher, gradient: NormGradient, dx: TensorInfo): TensorInfo {
  const [rows = 0, width = 0] = dx.shape;
  const piece = widestPiece(width);
  const gamma = shifted('gamma[i]', gradient.shift);
  const reciprocals = gpu.allocate([rows], 'float32');
  launchGroups(
    gpu,
    {
      key: `rms-norm-gradient-${piece.type}${gradient.residual ? '-residual' : ''}${shiftKey(gradient.shift)}`,
      items: rows,
      reads: bindingsOf(gradient, piece.type),
      writes: { [`dx: ${piece.type}`]: dx, 'reciprocals: f32': reciprocals },
      uniforms: uniformsOf(width, gradient.epsilon),
      declarations: () => pieceFunctions(piece),
      body: () => /* wgsl */ `
  let base = item * params.pieces;
  var squares = ${piece.type}();
  var products = ${piece.type}();
  for (var i = lane; i < params.pieces; i += LANES) {
    squares = fma(x[base + i], x[base + i], squares);
    products = fma(dy[base + i] * ${gamma}, x[base + i], products);
  }
  let r = inverseSqrt(sumOverLanes(total(squares), lane) / params.width + params.epsilon);
  let pull = sumOverLanes(total(products), lane) / params.width * r * r;
  for (var i = lane; i < params.pieces; i += LANES) {
    dx[base + i] = ${gradient.residual ? 'residual[base + i] + ' : ''}r * (dy[base + i] * ${gamma} - x[base + i] * pull);
  }
  if (lane == 0u) { reciprocals[item] = r; }`,
    },
    lanesFor(gpu, width),
  );
  return reciprocals;
}

function gammaPartials(
  gpu: GpuDispatcher,
  { x, dy }: NormGradient,
  reciprocals: TensorInfo,
  partials: TensorInfo,
): void {
  const [rows = 0, width = 0] = x.shape;
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
}
