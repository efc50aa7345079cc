/** AdamW's state as `optimizer.safetensors`: `exp_avg.<name>` and `exp_avg_sq.<name>`, named as in PyTorch. */
import {
  expectedTensor,
  safetensorsFile,
  type OpenFile,
  type SafetensorsFile,
  storedInMemory,
  type TensorData,
  type HuggingFaceSpec,
  type OptimizerState,
} from '@rl-playground/engine/parts';
import { CheckpointError } from './checkpointParts.ts';

const MOMENTS = { m: 'exp_avg', v: 'exp_avg_sq' } as const;

/**
 * `trained`: the tensors that are trained, by their names in the file that holds them.
 * @throws CheckpointError where one has no moments: that would be a mistake in the trainer.
 */
export function writeOptimizer(state: OptimizerState, trained: readonly HuggingFaceSpec[]): OpenFile {
  const tensors = new Map<string, TensorData>();
  for (const { name, shape } of trained) {
    const moments = state.moments.get(name);
    if (moments === undefined)
      throw new CheckpointError(`The optimizer has no state for ${name}; nothing was saved.`);
    tensors.set(`${MOMENTS.m}.${name}`, { shape, data: moments.m });
    tensors.set(`${MOMENTS.v}.${name}`, { shape, data: moments.v });
  }
  return safetensorsFile(storedInMemory(tensors), { step: String(state.step) });
}

/** @throws ModelFileError or CheckpointError naming the tensor that is missing, misshapen, not finite or negative. */
export function readOptimizer(
  { tensors, metadata }: SafetensorsFile,
  trained: readonly HuggingFaceSpec[],
  where: string,
): OptimizerState {
  const stepText = metadata['step'] ?? '';
  if (!/^\d{1,15}$/.test(stepText))
    throw new CheckpointError(
      `${where}: the metadata needs "step", a whole number, found ${JSON.stringify(stepText)}.`,
    );
  const read = (prefix: string, name: string, shape: readonly number[]): Float32Array =>
    expectedTensor(
      tensors,
      { name: `${prefix}.${name}`, shape },
      where,
      'The optimizer state belongs to another model.',
    ).data;
  const moments = new Map<string, { m: Float32Array; v: Float32Array }>();
  for (const { name, shape } of trained) {
    const m = read(MOMENTS.m, name, shape);
    const v = read(MOMENTS.v, name, shape);
    const negative = v.findIndex((value) => value < 0);
    if (negative >= 0)
      throw new CheckpointError(
        `${where}: ${MOMENTS.v}.${name} holds ${v[negative]} at position ${negative}; mean squares can't be negative. The file is damaged.`,
      );
    moments.set(name, { m, v });
  }
  return { step: Number(stepText), moments };
}
