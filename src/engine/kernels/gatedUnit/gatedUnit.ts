/**
 * The gated unit of Llama's MLP, SwiGLU (Shazeer 2020): y = silu(gate) ⊙ up, silu(z) = z · σ(z), over rows gate | up.
 * d gate = dy ⊙ up ⊙ σ(z)(1 + z(1 − σ(z))),  d up = dy ⊙ silu(gate).
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runSingle, input } from '../../backend/kernelRegistry.ts';
import { u32 } from '../../backend/dispatch.ts';
import { launchItems } from '../shared/launch.ts';
import { widestPiece } from '../shared/vectors.ts';

tf.registerGradient({
  kernelName: 'RlGatedUnit',
  inputsToSave: ['gateUp'],
  gradFunc: (dy, saved) => {
    const [gateUp] = saved as [tf.Tensor];
    return { gateUp: () => gatedUnitGradient(gateUp, dy as tf.Tensor) };
  },
});

/** `gateUp` [N, 2·F] → [N, F]. */
export function gatedUnit(gateUp: tf.Tensor): tf.Tensor2D {
  return runSingle('RlGatedUnit', { gateUp }) as tf.Tensor2D;
}

/** d gateUp [N, 2·F] from `dy` [N, F]. */
export function gatedUnitGradient(gateUp: tf.Tensor, dy: tf.Tensor): tf.Tensor2D {
  return runSingle('RlGatedUnitGradient', { gateUp, dy }) as tf.Tensor2D;
}

/** The fewest elements that are worth waking a thread for: some 5 µs. */
const ELEMENTS_PER_PART = 8192;

const grainOf = (width: number): number => Math.ceil(ELEMENTS_PER_PART / width);

/** The sigmoid, computed by the exponential of numbers that are never positive, because WGSL may assume that infinity does not occur. */
const sigmoid = (type: string): string => /* wgsl */ `
fn sigmoid(z: ${type}) -> ${type} {
  let e = exp(-abs(z));
  return select(e, ${type}(1.0), z >= ${type}()) / (1.0 + e);
}`;

/** Finds the pieces of an item. An item is one piece of a row of `pieces`; a row of the input is two of those. */
const FIND_PIECES = /* wgsl */ `
  let gateAt = item + item / params.pieces * params.pieces;
  let upAt = gateAt + params.pieces;
  let z = gateUp[gateAt];
  let s = sigmoid(z);`;

registerOp<object>({
  name: 'RlGatedUnit',
  wasm(memory, inputs) {
    const gateUp = input(inputs, 'gateUp');
    const [rows = 0, doubleWidth = 0] = gateUp.shape;
    const width = doubleWidth / 2;
    const y = memory.allocate([rows, width], 'float32');
    memory.parallel('gatedUnit', rows, grainOf(width), memory.pointer(gateUp), width, memory.pointer(y));
    return [y];
  },
  webgpu(gpu, inputs) {
    const gateUp = input(inputs, 'gateUp');
    const [rows = 0, doubleWidth = 0] = gateUp.shape;
    const width = doubleWidth / 2;
    const { type, size } = widestPiece(width);
    const y = gpu.allocate([rows, width], 'float32');
    launchItems(gpu, {
      key: `gated-unit-${type}`,
      items: (rows * width) / size,
      reads: { [`gateUp: ${type}`]: gateUp },
      writes: { [`y: ${type}`]: y },
      uniforms: { pieces: u32(width / size) },
      declarations: () => sigmoid(type),
      body: () => /* wgsl */ `${FIND_PIECES}
  y[item] = z * s * gateUp[upAt];`,
    });
    return [y];
  },
});

registerOp<object>({
  name: 'RlGatedUnitGradient',
  /** Outputs d gateUp [N, 2·F]. */
  wasm(memory, inputs) {
    const dy = input(inputs, 'dy');
    const [rows = 0, width = 0] = dy.shape;
    const dgateUp = memory.allocate([rows, 2 * width], 'float32');
    memory.parallel(
      'gatedUnitGradient',
      rows,
      grainOf(width),
      memory.pointer(input(inputs, 'gateUp')),
      memory.pointer(dy),
      width,
      memory.pointer(dgateUp),
    );
    return [dgateUp];
  },
  /** Outputs d gateUp [N, 2·F]. */
  webgpu(gpu, inputs) {
    const gateUp = input(inputs, 'gateUp');
    const dy = input(inputs, 'dy');
    const [rows = 0, width = 0] = dy.shape;
    const { type, size } = widestPiece(width);
    const dgateUp = gpu.allocate([rows, 2 * width], 'float32');
    launchItems(gpu, {
      key: `gated-unit-gradient-${type}`,
      items: (rows * width) / size,
      reads: { [`gateUp: ${type}`]: gateUp, [`dy: ${type}`]: dy },
      writes: { [`dgateUp: ${type}`]: dgateUp },
      uniforms: { pieces: u32(width / size) },
      declarations: () => sigmoid(type),
      body: () => /* wgsl */ `${FIND_PIECES}
  let d = dy[item];
  dgateUp[gateAt] = d * gateUp[upAt] * s * (1.0 + z * (1.0 - s));
  dgateUp[upAt] = d * z * s;`,
    });
    return [dgateUp];
  },
});
