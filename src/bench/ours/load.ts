/** From a model's files in memory to its first greedy token. */
import { loadWeights } from '../../hub/load.ts';
import { filesInMemory } from '../../hub/sources.ts';
import { LanguageModel } from '../../model/languageModel.ts';
import { ModelWeights } from '../../model/weights.ts';
import { createLocalPool } from '../../rollout/localPool.ts';
import type { OpenFiles } from '../participants/environment.ts';
import { preparedWork } from '../participants/timing.ts';
import type { LoadWorkload, Prepared } from '../types.ts';

const FILES = ['config.json', 'model.safetensors'];
const POSITIONS = 32;

/** @throws for random weights, which have no files. */
export async function prepareLoad({ model }: LoadWorkload, openFiles: OpenFiles): Promise<Prepared> {
  if (model.kind === 'shape') throw new Error('Random weights have no files to load. Use --model starter.');
  const source = openFiles(model.label, model.address);
  const contents = new Map<string, Uint8Array>();
  for (const name of FILES) {
    const bytes = await source.read(name);
    if (bytes === null) throw new Error(`${model.label} has no ${name}; only models in one file are timed.`);
    contents.set(name, bytes);
  }
  const once = async (): Promise<Float32Array> => {
    const { config, weights } = await loadWeights(filesInMemory(model.label, contents));
    const host = new LanguageModel(ModelWeights.fromHuggingFace(config, weights), POSITIONS);
    const pool = createLocalPool({ config, stopTokenIds: [], positions: POSITIONS });
    await pool.setWeights(0, await host.weights.pack());
    const requests = [{ promptIds: [1], samples: 1, seed: 1, step: 0, problem: 0 }];
    const [group] = await pool.generate(requests, {
      temperature: 0,
      topP: 1,
      topK: 0,
      maxTokens: 1,
      stop: [],
    });
    pool.dispose();
    host.dispose();
    return Float32Array.from(group?.completions[0]?.tokens ?? []);
  };
  return preparedWork(
    async () => void (await once()),
    await once(),
    () => {},
  );
}
