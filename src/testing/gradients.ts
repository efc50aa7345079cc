import type { Gradients } from '../model/languageModel.ts';
import type { ModelWeights } from '../model/weights.ts';

/** Host copies of all gradients in Hugging Face's layout, where linear weights are [out, in]. */
export async function gradientsInHuggingFaceLayout(
  gradients: Gradients,
  weights: ModelWeights,
): Promise<Map<string, Float32Array>> {
  const arrays = new Map<string, Float32Array>();
  for (const { name, shape, transposed } of weights.specs) {
    const values = await gradients.get(name).data<'float32'>();
    const [rows = 0, columns = 0] = shape;
    const at = (i: number): number => (transposed ? (i % rows) * columns + Math.floor(i / rows) : i);
    arrays.set(
      name,
      Float32Array.from(values, (_, i) => values[at(i)] ?? NaN),
    );
  }
  return arrays;
}
