/** Tensors that a file beside a model must have. */
import type { HuggingFaceSpec } from '../model/parameters.ts';
import type { TensorData, WeightArrays } from '../model/weights.ts';
import { ModelFileError } from './types.ts';
import { checkFinite } from './weights.ts';

/**
 * Returns one tensor of a file, and checks that all of its numbers are finite. `otherwise` says what another shape means.
 *
 * @throws ModelFileError naming the tensor and what is wrong with it.
 */
export function expectedTensor(
  tensors: WeightArrays,
  { name, shape }: HuggingFaceSpec,
  where: string,
  otherwise: string,
): TensorData {
  const tensor = tensors.get(name);
  const found = tensor === undefined ? 'nothing' : `[${tensor.shape.join(', ')}]`;
  if (tensor === undefined || found !== `[${shape.join(', ')}]`)
    throw new ModelFileError(
      `${where}: ${name} must have shape [${shape.join(', ')}], found ${found}. ${otherwise}`,
    );
  checkFinite(name, tensor.data, where);
  return tensor;
}
