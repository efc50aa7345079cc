import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import { util, type TensorInfo } from '../../backend/tf.ts';

/** Elements of a partial sum: the order of summation is the same on any number of threads. */
const CHUNK = 4096;
/** Chunks that one thread takes at least. */
const GRAIN = 8;
const FLOATS_PER_DOUBLE = 2;

export function squaredNormOnWasm(memory: HostMemory, inputs: Inputs): TensorInfo[] {
  const x = input(inputs, 'x');
  const length = util.sizeFromShape(x.shape);
  const chunks = Math.ceil(length / CHUNK);
  const total = memory.allocate([1], 'float32');
  const sums = memory.scratch(FLOATS_PER_DOUBLE * chunks);
  memory.parallel('squaredSums', chunks, GRAIN, memory.pointer(x), length, CHUNK, sums);
  memory.floats(total)[0] = memory.call('sumOfDoubles', sums, chunks);
  return [total];
}
