import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { filesInFolder } from '../src/hub/filesInNode.ts';
import { loadModel } from '../src/hub/load.ts';
import { loadModelNamed } from '../src/run/models/modelsInNode.ts';
import { storedAs, widened } from '../src/model/storedWeights.ts';
import { adapterLength } from '../src/model/lora.ts';
import { unpackPeft } from '../src/model/adapter.ts';
import { checkpointFiles } from '../src/run/checkpoint/checkpoint.ts';
import { modelParts } from '../src/testing/modelParts.ts';
import exportProgram from './export.ts';
import { writeOpenFile } from './runDirectory.ts';

const folder = mkdtempSync(join(tmpdir(), 'export-'));
const said: string[] = [];
vi.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line));
vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('reads a run directory without weights beside the base that it names, and writes it merged', async () => {
  const model = await loadModelNamed('starter');
  const settings = { rank: 2, alpha: 4, targets: ['q_proj'] } as const;
  const factors = Float32Array.from({ length: adapterLength(model.config, settings) }, (_, i) => Math.sin(i));
  const arrays = unpackPeft(model.config, settings, factors);
  const files = await checkpointFiles(modelParts(model, { settings, arrays, base: null }));
  for (const [name, file] of files) {
    const path = join(folder, 'run/final_model', name);
    mkdirSync(dirname(path), { recursive: true });
    await writeOpenFile(path, file);
  }
  const out = join(folder, 'out');
  const words = ['--model', join(folder, 'run'), '--dtype', 'BF16', '--out', out];
  expect(await exportProgram(words), `${said.join('\n')}`).toBe(0);
  const read = (await loadModel(filesInFolder(out))).weights;
  const [changed, kept] = ['q_proj', 'v_proj'].map((part) => `model.layers.0.self_attn.${part}.weight`);
  const plain = new Map([...model.weights].map(([name, tensor]) => [name, storedAs(name, tensor, 'BF16')]));
  const [ours, before] = [await widened(read), await widened(plain)];
  expect(ours.get(kept ?? '')).toEqual(before.get(kept ?? ''));
  expect(ours.get(changed ?? '')).not.toEqual(before.get(changed ?? ''));
});

it('says what a run has nothing of, with exit code 2', async () => {
  expect(await exportProgram(['--format', 'peft', '--out', join(folder, 'none')])).toBe(2);
  expect(said.at(-1)).toContain('no LoRA adapter');
  expect(await exportProgram([])).toBe(2);
  expect(said.at(-1)).toContain('--out is missing');
});
