/** Sampling with plain tfjs ops: a cache of keys and values, logits read back and sampled on the host for each token. */
import * as tf from '@tensorflow/tfjs';
import { promptsOf, sampleRow } from '../../participants/inputs.ts';
import { preparedWork } from '../../participants/timing.ts';
import type { HostModel } from '../../participants/model.ts';
import type { Prepared, RolloutWorkload } from '../../types.ts';
import { TfjsModel, type LayerKeysValues } from './model.ts';

export async function prepareRollouts(workload: RolloutWorkload, host: HostModel): Promise<Prepared> {
  const { groups, samples, promptLength, newTokens } = workload;
  const rows = groups * samples;
  const { vocabSize } = host.config;
  const model = new TfjsModel(host);
  const prompts = promptsOf(workload, host.config);
  const promptIds = Int32Array.from({ length: rows }, (_, row) => Math.floor(row / samples)).reduce<number[]>(
    (all, group) => all.concat(prompts[group] ?? []),
    [],
  );
  const mask = model.causalMask(promptLength);

  /** `newTokens` tokens of every row, row by row. */
  const generate = async (greedy: boolean): Promise<Float32Array> => {
    const tokens = new Float32Array(rows * newTokens);
    let cache: LayerKeysValues[] | null = null;
    let next = Int32Array.from(promptIds);
    for (let position = 0; position < newTokens; position++) {
      const past: LayerKeysValues[] | null = cache;
      const result: { logits: tf.Tensor; cache: LayerKeysValues[] } = tf.tidy(() => {
        const ids = tf.tensor1d(next, 'int32');
        const rotation = past
          ? model.rotation(promptLength + position - 1, 1)
          : model.rotation(0, promptLength);
        const step = model.forward(ids, rows, rotation, past ? null : mask, past);
        return { logits: model.logits(lastPositions(step.hidden, rows)), cache: step.cache };
      });
      const logits = await result.logits.data<'float32'>();
      tf.dispose([result.logits, ...(past ?? []).flatMap(({ k, v }) => [k, v])]);
      cache = result.cache;
      next = new Int32Array(rows);
      for (let row = 0; row < rows; row++) {
        const token = sampleRow(logits, row * vocabSize, vocabSize, greedy);
        next[row] = token;
        tokens[row * newTokens + position] = token;
      }
    }
    tf.dispose((cache ?? []).flatMap(({ k, v }) => [k, v]));
    return tokens;
  };

  const check = await generate(true);
  return preparedWork(
    async () => void (await generate(false)),
    check,
    () => {
      model.dispose();
      mask.dispose();
    },
  );
}

/** The hidden states [rows, D] of the last position of each row. */
function lastPositions(hidden: tf.Tensor2D, rows: number): tf.Tensor {
  const [positions, width] = hidden.shape;
  const perRow = positions / rows;
  const all = tf.reshape(hidden, [rows, perRow, width]);
  return tf.reshape(tf.slice(all, [0, perRow - 1, 0], [rows, 1, width]), [rows, width]);
}
