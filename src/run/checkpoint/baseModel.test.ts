import { beforeAll, describe, expect, it, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import {
  loadModel,
  writeSafetensors,
  filesInFile,
  filesInMemory,
  openBytes,
  type LoadedModel,
  type OpenFile,
  adapterLength,
  type LoraSettings,
  storedBytes,
} from '@rl-playground/engine/parts';
import { unpackPeft } from '@rl-playground/engine/parts/tensors';
import { ggufBytes, tinyGguf } from '@rl-playground/engine/testing/ggufBytes';
import { tinyConfigJson, tinyModelFolder, tinyTensors } from '@rl-playground/engine/testing/modelFolder';
import { modelParts } from '../testing/modelParts.ts';
import { contents, opened, zipBytes } from '@rl-playground/engine/testing/zips';
import { readZippedCheckpoint } from '../testing/zips.ts';
import { withBase } from './baseModel.ts';
import { checkpointFiles } from './checkpoint.ts';

const SETTINGS: LoraSettings = { rank: 2, alpha: 3, targets: ['q_proj', 'down_proj'] };

function folder(scale: number): Map<string, Uint8Array> {
  const weights = writeSafetensors(tinyTensors(tinyConfigJson, scale), { dtype: 'BF16' });
  return tinyModelFolder().set('model.safetensors', weights);
}

async function wordsOf(model: LoadedModel): Promise<unknown[]> {
  const words: unknown[] = [];
  for (const [name, tensor] of model.weights)
    words.push([name, tensor.dtype, [...(await tensor.read(0, storedBytes(tensor)))]]);
  return words;
}

describe('a checkpoint beside a frozen base', () => {
  let base: LoadedModel;
  let other: LoadedModel;
  let adapterAlone: Map<string, OpenFile>;
  let full: Map<string, OpenFile>;
  beforeAll(async () => {
    base = await loadModel(filesInMemory('tiny', folder(1)));
    other = await loadModel(filesInMemory('tiny', folder(2)));
    const { config } = base;
    const pool = Float32Array.from({ length: adapterLength(config, SETTINGS) }, (_, i) => Math.cos(i));
    const adapter = { settings: SETTINGS, arrays: unpackPeft(config, SETTINGS, pool), base: null };
    const runConfig = defaultConfig('sum_digits');
    adapterAlone = await checkpointFiles({ ...modelParts(base, adapter), runConfig });
    full = withBase(adapterAlone, base);
  });

  it('takes the base along in the words of its file, with all that a model folder has', async () => {
    const added = [...full.keys()].filter((name) => !adapterAlone.has(name));
    expect(added.toSorted()).toEqual([
      'base/config.json',
      'base/generation_config.json',
      'base/model.safetensors',
      'base/tokenizer.json',
      'base/tokenizer_config.json',
    ]);
    const files = await contents(full);
    for (const [name, bytes] of folder(1))
      if (!name.endsWith('.safetensors') && name !== 'config.json')
        expect(files.get(`base/${name}`)).toEqual(bytes);
    expect(await zipBytes(withBase(full, base))).toEqual(await zipBytes(full));
  });

  it('opens with nothing, or with another model, and the base is the same to the bit', async () => {
    for (const loaded of [null, other]) {
      const read = await readZippedCheckpoint(await zipBytes(full), 'run.zip', loaded);
      expect(read.model.name).toBe('tiny');
      expect(read.model.contentHash).toBe(base.contentHash);
      expect(await wordsOf(read.model)).toEqual(await wordsOf(base));
      expect(read.adapter?.base).toBeNull();
      // And a checkpoint of that is the same again, with the base and without.
      expect(await zipBytes(await checkpointFiles(read))).toEqual(await zipBytes(adapterAlone));
      const again = withBase(await checkpointFiles(read), read.model);
      expect(await zipBytes(again)).toEqual(await zipBytes(full));
    }
    const read = await readZippedCheckpoint(await zipBytes(full), 'run.zip', base);
    expect(read.model.weights).toBe(base.weights);
  });

  it('is refused where the base in it is another than it says', async () => {
    const weights = opened(
      new Map([['base/model.safetensors', folder(2).get('model.safetensors') ?? new Uint8Array()]]),
    );
    const zip = await zipBytes(new Map([...full, ...weights]));
    await expect(readZippedCheckpoint(zip, 'run.zip')).rejects.toThrow(
      /run\.zip: base\/ holds [\d,]+ parameters which are not those of tiny/,
    );
    await expect(readZippedCheckpoint(await zipBytes(adapterAlone), 'run.zip')).rejects.toThrow(
      /Open that model first/,
    );
  });

  it('says in its card what it holds, and what not', async () => {
    const card = new TextDecoder().decode((await contents(full)).get('README.md'));
    expect(card).toContain('It belongs to tiny as base_model.json');
    expect(card).toContain('- adapter/: the LoRA adapter that was trained, as PEFT reads it\n');
    expect(card).not.toContain('model.safetensors');
  });

  it('leaves one that holds its model as it is', () => {
    expect(withBase(new Map(), base)).toEqual(new Map());
  });
});

test('a base of a GGUF file goes along as that file, and comes back block for block', async () => {
  const bytes = ggufBytes(tinyGguf());
  // Numbers that are none of another model.
  for (let i = bytes.length - tinyGguf().dataBytes; i < bytes.length; i += 34) bytes[i + 4] = i % 251;
  const base = await loadModel(await filesInFile('tiny.gguf', openBytes(bytes)));
  const pool = Float32Array.from({ length: adapterLength(base.config, SETTINGS) }, (_, i) => Math.sin(i));
  const adapter = { settings: SETTINGS, arrays: unpackPeft(base.config, SETTINGS, pool), base: null };
  const parts = { ...modelParts(base, adapter), runConfig: defaultConfig('sum_digits') };
  const full = withBase(await checkpointFiles(parts), base);
  expect((await contents(full)).get('base/model.gguf')).toEqual(bytes);
  const read = await readZippedCheckpoint(await zipBytes(full), 'run.zip');
  expect(read.model.contentHash).toBe(base.contentHash);
  expect(await wordsOf(read.model)).toEqual(await wordsOf(base));
  expect(await zipBytes(withBase(await checkpointFiles(read), read.model))).toEqual(await zipBytes(full));
});
