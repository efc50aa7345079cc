/** The gated unit on the wasm heap, by the kernels in `src/simd/gatedUnit.ts`. */
import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';

/** Elements below which a thread is not worth waking: some 5 µs. */
const ELEMENTS_PER_PART = 8192;

const grainOf = (width: number): number => Math.ceil(ELEMENTS_PER_PART / width);

export function gatedUnitOnWasm(memory: HostMemory, inputs: Inputs): TensorInfo[] {
  const gateUp = input(inputs, 'gateUp');
  const [rows = 0, doubleWidth = 0] = gateUp.shape;
  const width = doubleWidth / 2;
  const y = memory.allocate([rows, width], 'float32');
  memory.parallel('gatedUnit', rows, grainOf(width), memory.pointer(gateUp), width, memory.pointer(y));
  return [y];
}

/** Output d gateUp [N, 2·F]. */
export function gatedUnitGradientOnWasm(memory: HostMemory, inputs: Inputs): TensorInfo[] {
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
}
