/** The program as it is typed: shapes, exit codes, and that what it advises fits. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Plan } from '@rl-playground/run/plan';
import { keepMachineRates } from './machineRates.ts';
import { planProgram } from './plan.ts';

/** Llama-3.2-1B. */
const LLAMA = {
  model_type: 'llama',
  hidden_size: 2048,
  intermediate_size: 8192,
  num_hidden_layers: 16,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 64,
  vocab_size: 128256,
  max_position_embeddings: 131072,
  rope_theta: 500000,
  tie_word_embeddings: true,
  torch_dtype: 'bfloat16',
};
/** The number of parameters by the shapes of its 146 tensors, with the tied head counted once. */
const LLAMA_PARAMETERS = 1_235_814_400;

/** The file with the rates that this machine was measured at. */
const rates = join(mkdtempSync(join(tmpdir(), 'plan-')), 'rates.json');
const plan = planProgram(rates);

afterEach(() => vi.restoreAllMocks());

function folderWith(config: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'plan-'));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  return folder;
}

/** Its exit code and what it printed on stdout. */
async function run(...words: string[]): Promise<{ code: number; out: string }> {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  return { code: await plan(words), out: lines.join('\n') };
}

async function planned(...words: string[]): Promise<Plan & { code: number }> {
  const { code, out } = await run(...words, '--json');
  return { ...(JSON.parse(out) as Plan), code };
}

const bytesOf = ({ items }: Plan, name: string): number | undefined =>
  items.find((item) => item.name === name)?.bytes;

describe('npx rl-playground plan', () => {
  const llama = folderWith(LLAMA);
  const laptop = ['--model', llama, '--limits', 'laptop-8gb.json'];

  test('counts a base in each format by its numbers alone', async () => {
    const baseIn = async (format: string): Promise<number> =>
      bytesOf(await planned('--model', llama, 'loraRank=32', `baseFormat=${format}`), 'base weights') ?? NaN;
    expect((await baseIn('f32')) / LLAMA_PARAMETERS).toBeCloseTo(4, 3);
    expect((await baseIn('auto')) / LLAMA_PARAMETERS).toBeCloseTo(2, 3);
    expect((await baseIn('q8')) / LLAMA_PARAMETERS).toBeCloseTo(34 / 32, 3);
    const table = 128256 * 2048;
    const mixed = ((LLAMA_PARAMETERS - table) * (20 / 32) + table * (34 / 32)) / LLAMA_PARAMETERS;
    expect((await baseIn('q4')) / LLAMA_PARAMETERS).toBeCloseTo(mixed, 3);
  });

  test('counts a reward model by the files that the backend takes of its folder', async () => {
    const folder = folderWith({ model_type: 'bert' });
    for (const name of ['tokenizer.json', 'tokenizer_config.json']) writeFileSync(join(folder, name), '{}');
    writeFileSync(join(folder, 'model.onnx'), new Uint8Array(3000));
    writeFileSync(join(folder, 'model_quantized.onnx'), new Uint8Array(1000));
    const beside = async (backend: string): Promise<Plan & { code: number }> =>
      planned('--model', llama, 'loraRank=32', '--backend', backend, `rewardModel=${folder}`);
    const texts = JSON.stringify({ model_type: 'bert' }).length + 2 * '{}'.length;
    expect(bytesOf(await beside('webgpu'), 'reward model')).toBe(3000 + texts);
    // On the CPU: the file, a copy and the weights, and what onnxruntime takes.
    expect(bytesOf(await beside('wasm'), 'reward model')).toBe(3 * (1000 + texts) + 64 * 2 ** 20);
    expect((await run('--model', llama, 'rewardModel=./nowhere')).code).toBe(2);
  });

  test('a 1B model in f32 does not fit a laptop of 8 GB, and each advice does', async () => {
    const asked = { loraRank: 32, baseFormat: 'f32' };
    const words = (settings: object): string[] =>
      Object.entries(settings).map(([key, value]) => `${key}=${String(value)}`);
    const { code, fits, advice, items, peak, limits } = await planned(...laptop, ...words(asked));
    expect([code, fits]).toEqual([1, false]);
    expect(limits.gpuBytes).toBe(4 * 2 ** 30);
    expect(advice.length).toBeGreaterThan(0);
    expect(advice.length).toBeLessThanOrEqual(3);
    for (const where of ['gpu', 'host'] as const)
      expect(peak[where]).toBe(items.reduce((sum, item) => sum + (item.where === where ? item.bytes : 0), 0));
    for (const { text, settings } of advice) {
      expect(text).toMatch(/\.$/);
      const changed = await planned(...laptop, ...words({ ...asked, ...settings }));
      expect([changed.code, changed.fits, changed.advice]).toEqual([0, true, []]);
    }
  });

  test('plans a large model as it is trained where nobody says otherwise, by LoRA', async () => {
    const left = await planned('--model', llama);
    expect(left.items).toEqual((await planned('--model', llama, 'loraRank=32', 'numGenerators=1')).items);
  });

  test('all weights trained are more buffers of one size than a GPU binds, and an adapter is advised', async () => {
    const { fits, advice } = await planned(...laptop, 'loraRank=0');
    expect(fits).toBe(false);
    for (const { settings } of advice) expect(settings.loraRank).toBe(32);
  });

  test('a bundled model fits, also on wasm, where all memory is the host’s', async () => {
    const gpu = await planned('--model', 'starter');
    expect([gpu.code, gpu.fits]).toEqual([0, true]);
    const wasm = await planned('--model', 'starter', '--backend', 'wasm');
    expect([wasm.code, wasm.peak.gpu]).toEqual([0, 0]);
    expect(wasm.peak.host).toBeGreaterThan(gpu.peak.host);
    // How long a step takes is known once a run has been seen.
    expect(wasm.step.seconds).toBeNull();
    keepMachineRates('wasm', { trainFlops: 1e9, decodeFlops: 2e9 }, rates);
    expect((await planned('--model', 'starter', '--backend', 'wasm')).step.seconds).toBeGreaterThan(0);
  });

  test.each([
    [['--model', 'nothing-like-it']],
    [['--model', folderWith({ ...LLAMA, model_type: 'gpt2' })]],
    [['--model', 'starter', 'loraRank=100000']],
    [['--model', 'starter', 'colour=3']],
    [['--model', 'starter', '--limits', 'no-such-file.json']],
  ])('refuses %j with exit code 2', async (words) => {
    expect(await run(...words)).toEqual({ code: 2, out: '' });
  });
});
