/** The files of a repository whose model transformers.js runs: those that are looked up, and those that are fetched. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startHub, type HubServer } from '../../testing/hubServer.ts';
import { fetchedToDisk } from './diskCache.ts';
import { parseModelAddress } from './modelAddress.ts';
import { findOnnxModel } from './onnxModel.ts';
import { folderName } from './remoteModel.ts';

const COMMIT = 'd'.repeat(40);
const cache = mkdtempSync(join(tmpdir(), 'rl-playground-onnx-'));
const sized = (files: Readonly<Record<string, number>>) => ({
  commit: COMMIT,
  files: new Map(Object.entries(files).map(([name, size]) => [name, new Uint8Array(size)])),
});
const TEXTS = { 'config.json': 2, 'tokenizer.json': 3, 'tokenizer_config.json': 4 };

let hub: HubServer;
beforeAll(async () => {
  vi.stubEnv('RL_PLAYGROUND_CACHE', cache);
  hub = await startHub({
    'test/both': sized({
      ...TEXTS,
      'model.safetensors': 900,
      'onnx/model.onnx': 100,
      'onnx/model.onnx_data': 50,
      'onnx/model_quantized.onnx': 30,
    }),
    'test/flat': sized({ ...TEXTS, 'model.onnx': 100 }),
    'test/none': sized({ ...TEXTS, 'model.safetensors': 900 }),
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
  await hub.close();
});

function find(name: string, device: 'wasm' | 'webgpu') {
  const address = parseModelAddress(name);
  if (address === null) throw new Error(`${name} is no address.`);
  return findOnnxModel(address, device, { hubUrl: hub.url });
}

test('the file that suits the device is chosen, with its data and the texts, under names without folders', async () => {
  const paths = async (name: string, device: 'wasm' | 'webgpu') =>
    (await find(name, device)).files.map(({ path }) => path).slice(3);
  expect(await paths('test/both', 'wasm')).toEqual(['model_quantized.onnx']);
  expect(await paths('test/both', 'webgpu')).toEqual(['model.onnx', 'model.onnx_data']);
  expect(await paths('test/flat', 'wasm')).toEqual(['model.onnx']);
  const { bytes, label, origin } = await find('test/both', 'webgpu');
  expect({ bytes, label }).toEqual({ bytes: 159, label: 'test/both' });
  expect(origin).toMatchObject({ name: 'test/both:onnx/model.onnx', commit: COMMIT });
});

test('it is kept apart from the weights to train, and from other files of the repository', async () => {
  const [cpu, gpu] = [await find('test/both', 'wasm'), await find('test/both', 'webgpu')];
  const folder = await fetchedToDisk(cpu, {});
  expect(basename(folder)).toBe(folderName(cpu));
  expect(folderName(gpu)).not.toBe(folderName(cpu));
  expect(readdirSync(folder).sort()).toEqual([...Object.keys(TEXTS), 'model_quantized.onnx'].sort());
  expect(existsSync(join(cache, 'models', folderName(gpu)))).toBe(false);
});

test('a repository without an ONNX file is refused with what to do', async () => {
  await expect(find('test/none', 'wasm')).rejects.toThrow(
    'test/none: a reward model needs config.json, tokenizer.json, tokenizer_config.json and an ONNX file such as onnx/model.onnx, and these are not all there. Choose a copy for transformers.js',
  );
});
