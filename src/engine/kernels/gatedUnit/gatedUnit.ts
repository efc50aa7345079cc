/**
 * The gated units of MLPs (Shazeer 2020), over rows z | up: y = z · σ(k(z)) ⊙ up. SwiGLU (Llama) has silu, k(z) = z. GeGLU (Gemma) has
 * GELU in the form with tanh, ½ z (1 + tanh u) = z · σ(2u), so k(z) = 2 √(2/π) · (z + 0.044715 z³).
 * d z = dy ⊙ up ⊙ s(1 + z·k′(z)·(1 − s)) with s = σ(k(z)),  d up = dy ⊙ z · s.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runSingle, input } from '../../backend/kernelRegistry.ts';
import { u32 } from '../../backend/dispatch.ts';
import { launchItems } from '../shared/launch.ts';
import { widestPiece } from '../shared/vectors.ts';

/** The function of the gate. */
export type Gate = 'silu' | 'gelu';

interface GatedUnitAttributes {
  readonly gate: Gate;
}

tf.registerGradient({
  kernelName: 'RlGatedUnit',
  inputsToSave: ['gateUp'],
  gradFunc: (dy, saved, attributes) => {
    const [gateUp] = saved as [tf.Tensor];
    const { gate } = attributes as unknown as GatedUnitAttributes;
    return { gateUp: () => gatedUnitGradient(gateUp, dy as tf.Tensor, gate) };
  },
});

/** `gateUp` [N, 2·F] → [N, F]. */
export function gatedUnit(gateUp: tf.Tensor, gate: Gate = 'silu'): tf.Tensor2D {
  return runSingle('RlGatedUnit', { gateUp }, { gate }) as tf.Tensor2D;
}

/** d gateUp [N, 2·F] from `dy` [N, F]. */
export function gatedUnitGradient(gateUp: tf.Tensor, dy: tf.Tensor, gate: Gate = 'silu'): tf.Tensor2D {
  return runSingle('RlGatedUnitGradient', { gateUp, dy }, { gate }) as tf.Tensor2D;
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

/** WGSL of k(z) and of z · k′(z). */
const ARGUMENTS = {
  silu: { of: 'z', slope: 'z' },
  gelu: {
    of: `z * ${2 * Math.sqrt(2 / Math.PI)} * (1.0 + 0.044715 * z * z)`,
    slope: `z * ${2 * Math.sqrt(2 / Math.PI)} * (1.0 + ${3 * 0.044715} * z * z)`,
  },
} as const satisfies Readonly<Record<Gate, object>>;

/** Finds the pieces of an item. An item is one piece of a row of `pieces`; a row of the input is two of those. */
const findPieces = (gate: Gate): string => /* wgsl */ `
  let gateAt = item + item / params.pieces * params.pieces;
  let upAt = gateAt + params.pieces;
  let z = gateUp[gateAt];
  let s = sigmoid(${ARGUMENTS[gate].of});`;

registerOp<GatedUnitAttributes>({
  name: 'RlGatedUnit',
  wasm(memory, inputs, { gate }) {
    const gateUp = input(inputs, 'gateUp');
    const [rows = 0, doubleWidth = 0] = gateUp.shape;
    const width = doubleWidth / 2;
    const y = memory.allocate([rows, width], 'float32');
    const gelu = gate === 'gelu' ? 1 : 0;
    memory.parallel(
      'gatedUnit',
      rows,
      grainOf(width),
      memory.pointer(gateUp),
      width,
      memory.pointer(y),
      gelu,
    );
    return [y];
  },
  webgpu(gpu, inputs, { gate }) {
    const gateUp = input(inputs, 'gateUp');
    const [rows = 0, doubleWidth = 0] = gateUp.shape;
    const width = doubleWidth / 2;
    const { type, size } = widestPiece(width);
    const y = gpu.allocate([rows, width], 'float32');
    launchItems(gpu, {
      key: `gated-unit-${gate}-${type}`,
      items: (rows * width) / size,
      reads: { [`gateUp: ${type}`]: gateUp },
      writes: { [`y: ${type}`]: y },
      uniforms: { pieces: u32(width / size) },
      declarations: () => sigmoid(type),
      body: () => /* wgsl */ `${findPieces(gate)}
  y[item] = z * s * gateUp[upAt];`,
    });
    return [y];
  },
});

registerOp<GatedUnitAttributes>({
  name: 'RlGatedUnitGradient',
  /** Outputs d gateUp [N, 2·F]. */
  wasm(memory, inputs, { gate }) {
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
      gate === 'gelu' ? 1 : 0,
    );
    return [dgateUp];
  },
  /** Outputs d gateUp [N, 2·F]. */
  webgpu(gpu, inputs, { gate }) {
    const gateUp = input(inputs, 'gateUp');
    const dy = input(inputs, 'dy');
    const [rows = 0, width = 0] = dy.shape;
    const { type, size } = widestPiece(width);
    const dgateUp = gpu.allocate([rows, 2 * width], 'float32');
    launchItems(gpu, {
      key: `gated-unit-gradient-${gate}-${type}`,
      items: (rows * width) / size,
      reads: { [`gateUp: ${type}`]: gateUp, [`dy: ${type}`]: dy },
      writes: { [`dgateUp: ${type}`]: dgateUp },
      uniforms: { pieces: u32(width / size) },
      declarations: () => sigmoid(type),
      body: () => /* wgsl */ `${findPieces(gate)}
  let d = dy[item];
  dgateUp[gateAt] = d * gateUp[upAt] * s * (1.0 + ${ARGUMENTS[gate].slope} * (1.0 - s));
  dgateUp[upAt] = d * z * s;`,
    });
    return [dgateUp];
  },
});
