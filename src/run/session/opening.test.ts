/** Models and adapters beside them are opened from files, and a run begins from them. */
import {
  loadModel,
  peftConfigFile,
  writeSafetensors,
  filesInMemory,
  type LoadedModel,
  adapterLength,
  type LoraSettings,
  widened,
} from '@rl-playground/engine/parts';
import {
  LOCAL_ENVIRONMENT,
  packPeft,
  unpackPeft,
  packArrays,
  unpackArrays,
} from '@rl-playground/engine/parts/tensors';
import { mergeAdapter } from '@rl-playground/engine/testing/mergeAdapter';
import { zipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { tinyModelFolder } from '@rl-playground/engine/testing/modelFolder';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { mergedModel } from '../checkpoint/adapterFiles.ts';
import type { ChosenFile } from './chosenFiles.ts';
import { describeOpened, newRunProblem, openedFiles, runStart } from './opening.ts';
import { Session } from './session.ts';

const SETTINGS: LoraSettings = { rank: 2, alpha: 3, targets: ['q_proj', 'down_proj'] };
const NOBODY = {
  adoptCustomTasks: () => Promise.resolve(),
  sftFiles: { find: () => null, adopt: () => Promise.resolve() },
};

/** Made-up factors for a model. */
function factors({ config }: LoadedModel, settings: LoraSettings) {
  const pool = Float32Array.from({ length: adapterLength(config, settings) }, (_, i) => Math.cos(i) / 9);
  return unpackPeft(config, settings, pool);
}

function adapterFiles(model: LoadedModel, settings = SETTINGS): Map<string, Uint8Array> {
  return new Map([
    ['adapter_config.json', peftConfigFile(settings, { name: 'anywhere', revision: null })],
    ['adapter_model.safetensors', writeSafetensors(factors(model, settings))],
    ['README.md', new Uint8Array(3)],
  ]);
}

const chosen = (files: ReadonlyMap<string, Uint8Array>, folder: string): ChosenFile[] =>
  [...files].map(([name, bytes]) => ({ path: folder + name, file: new File([new Uint8Array(bytes)], name) }));

const zipped = (files: ReadonlyMap<string, Uint8Array>, name: string): ChosenFile[] => [
  { path: name, file: new File([new Uint8Array(zipSync(Object.fromEntries(files)))], name) },
];

describe('files that are opened', () => {
  let model: LoadedModel;
  beforeAll(async () => {
    model = await loadModel(filesInMemory('tiny', tinyModelFolder()));
  });

  it('are an adapter of the model that is loaded: loose, in a folder or zipped', async () => {
    const files = adapterFiles(model);
    for (const each of [chosen(files, ''), chosen(files, 'a/b/'), zipped(files, 'a.zip')]) {
      const { parts } = await openedFiles(each, NOBODY, model);
      expect(parts.model).toBe(model);
      expect(parts.adapter).toEqual({ settings: SETTINGS, arrays: factors(model, SETTINGS), base: null });
      expect(describeOpened({ parts, log: null })).toEqual({
        text: 'Architecture llama, 1,160 parameters in 2 layers, a context of 2,048 tokens, with a chat template, and an adapter of rank 2, α 3, on q_proj, down_proj. Runs start from it.',
        settings: { loraRank: 2, loraAlpha: 3, loraTargets: ['q_proj', 'down_proj'] },
      });
    }
  });

  it('are a model, or both', async () => {
    const folder = chosen(tinyModelFolder(), 'other/');
    const { parts: alone } = await openedFiles(folder, NOBODY, model);
    expect([alone.model.name, alone.adapter]).toEqual(['other', null]);
    expect(await widened(alone.model.weights)).toEqual(await widened(model.weights));
    const { parts: both } = await openedFiles(
      [...folder, ...chosen(adapterFiles(model), 'adapter/')],
      NOBODY,
    );
    expect([both.model.name, both.adapter?.settings]).toEqual(['other', SETTINGS]);
  });

  it('are a model and the adapter that lies beside it, which its exports do not carry along', async () => {
    const files = new Map([...adapterFiles(model), ...tinyModelFolder()]);
    for (const each of [chosen(files, ''), chosen(files, 'a/'), zipped(files, 'both.zip')]) {
      const { model: opened, adapter } = (await openedFiles(each, NOBODY)).parts;
      expect(adapter).toEqual({ settings: SETTINGS, arrays: factors(opened, SETTINGS), base: null });
      expect([...opened.sideFiles.keys()].filter((name) => name.includes('adapter'))).toEqual([]);
    }
  });

  it('are refused by name', async () => {
    const dora = adapterFiles(model);
    const text = new TextDecoder().decode(dora.get('adapter_config.json'));
    dora.set(
      'adapter_config.json',
      new TextEncoder().encode(text.replace('"use_dora": false', '"use_dora": true')),
    );
    await expect(openedFiles(zipped(dora, 'dora.zip'), NOBODY, model)).rejects.toThrow(
      /^dora\.zip: adapter_config\.json is no plain LoRA adapter \(use_dora is true\)/,
    );
    await expect(openedFiles(chosen(adapterFiles(model), 'a/'), NOBODY)).rejects.toThrow(
      /^a: there is neither/,
    );
    const nothing = new Map([['x.safetensors', new Uint8Array(9)]]);
    await expect(openedFiles(chosen(nothing, ''), NOBODY, model)).rejects.toThrow(/neither config\.json nor/);
    await expect(openedFiles(zipped(nothing, 'x.zip'), NOBODY, model)).rejects.toThrow(/no config\.json/);
  });

  it('ask for the settings of their adapter, α over the square root of the rank as one over the rank', async () => {
    const settings = { ...SETTINGS, rankStabilized: true };
    const { parts } = await openedFiles(chosen(adapterFiles(model, settings), ''), NOBODY, model);
    const wanted = describeOpened({ parts, log: null }).settings ?? {};
    expect(wanted.loraAlpha).toBeCloseTo((3 / Math.sqrt(2)) * 2, 12);
    const config = { ...defaultConfig('sum_digits'), ...wanted };
    const problem = (changes: Partial<RunConfig>) =>
      newRunProblem(parts, { ...config, ...changes }, NOBODY.sftFiles)?.text;
    expect(problem({ loraTargets: ['down_proj', 'q_proj'] })).toBeUndefined();
    for (const changes of [{ loraRank: 0 }, { loraAlpha: 3 }, { loraTargets: ['q_proj' as const] }])
      expect(problem(changes)).toContain('It is of rank 2, α 4.24');
  });

  it('merge into the model that is taken out before a run', async () => {
    const { parts } = await openedFiles(chosen(adapterFiles(model), ''), NOBODY, model);
    const base = packArrays(model.config, await widened(model.weights));
    const pool = packPeft(model.config, SETTINGS, factors(model, SETTINGS));
    expect(await widened(mergedModel(parts).weights)).toEqual(
      unpackArrays(model.config, mergeAdapter(model.config, base, pool, SETTINGS)),
    );
    expect(mergedModel({ model, adapter: null })).toBe(model);
  });
});

it('a run begins from an adapter as it is, which is also what KL is measured against', async () => {
  await startBackendInNode();
  const model = await tinyStarter(starterInNode());
  const { parts } = await openedFiles(chosen(adapterFiles(model), ''), NOBODY, model);
  const firstKl = async (klReference: RunConfig['klReference']): Promise<number | null | undefined> => {
    const config: RunConfig = {
      ...defaultConfig('reverse_digits'),
      ...describeOpened({ parts, log: null }).settings,
      klReference,
      numGenerators: 1,
      problemsPerStep: 2,
      rolloutsPerProblem: 2,
      maxTokens: 8,
    };
    const session = await Session.open(config, runStart(parts), LOCAL_ENVIRONMENT);
    const { adapter } = await session.parts();
    expect([...(adapter?.arrays ?? [])]).toEqual([...factors(model, SETTINGS)]);
    await session.trainStep({});
    session.dispose();
    return session.metrics[0]?.kl;
  };
  expect(await firstKl('start')).toBeLessThan(1e-10);
  expect(await firstKl('base')).toBeGreaterThan(1e-6);
});
