/** LoRA's hand-off, the generator's end: an adapter's factors merged into the weights on its device, and the same on the host. */
import { adapterLength, type LoraSettings } from '../../model/lora.ts';
import { mergeAdapter } from '../../model/mergeAdapter.ts';
import { packArrays } from '../../model/weights.ts';
import { createLocalPool } from '../../rollout/localPool.ts';
import type { HostModel } from '../participants/model.ts';
import { preparedWork, secondsSince } from '../participants/timing.ts';
import type { MergeWorkload, Prepared } from '../types.ts';
import { finish } from './device.ts';

/** Positions that the generator is opened for. */
const POSITIONS = 32;

/** The sample's `host` is the time of a merge in JavaScript and float64, as an export does it. */
export async function prepareMerge(
  { rank, targets, precision }: MergeWorkload,
  { config, weights }: HostModel,
): Promise<Prepared> {
  const lora: LoraSettings = { rank, alpha: rank, targets };
  const base = packArrays(config, weights);
  const adapters = [1, 2].map((version) =>
    Float32Array.from({ length: adapterLength(config, lora) }, (_, i) => Math.sin(version * i) / 100),
  );
  const merged = mergeAdapter(config, base, new Float32Array(adapterLength(config, lora)), lora);
  const began = performance.now();
  for (const adapter of adapters) mergeAdapter(config, base, adapter, lora, merged);
  const host = secondsSince(began) / adapters.length;

  const pool = createLocalPool({ config, lora, stopTokenIds: [], positions: POSITIONS }, precision);
  await pool.setWeights(0, base);
  let version = 0;
  const merge = async (): Promise<void> => {
    version++;
    const adapter = adapters[version % adapters.length];
    if (adapter) await pool.setAdapter(version, adapter);
    await finish();
  };
  await merge();
  // What went wrong with weights is the error of the requests that follow.
  const request = { promptIds: [0], samples: 1, seed: 0, step: 0, problem: 0 };
  await pool.generate([request], { temperature: 0, topP: 1, topK: 0, maxTokens: 1, stop: [] });
  const work = preparedWork(merge, null, () => pool.dispose());
  return { ...work, run: async () => ({ ...(await work.run()), host }) };
}
