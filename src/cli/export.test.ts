import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { loadModel, storedAs, widened, adapterLength } from '@rl-playground/engine/parts';
import { unpackPeft } from '@rl-playground/engine/parts/tensors';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { checkpointFiles } from '@rl-playground/run/checkpoint';
import { startHub } from '@rl-playground/engine/testing/hubServer';
import { modelParts } from '@rl-playground/run/testing/modelParts';
import { sha256 } from '@rl-playground/base/testing/sha256';
import exportProgram from './export.ts';
import { writeOpenFile } from '@rl-playground/run/disk';

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

it('sends what it writes to a repository of the Hub, which is read again by its name', async () => {
  const hub = await startHub({});
  hub.accounts.set('hf_write', { namespaces: ['me'], mayWrite: true });
  const to = ['--model', 'starter-words', '--push', 'me/words', '--hub-url', hub.url];
  try {
    vi.stubEnv('HF_TOKEN', '');
    expect(await exportProgram(to)).toBe(2);
    expect(said.at(-1)).toContain('HF_TOKEN');
    vi.stubEnv('HF_TOKEN', 'hf_write');
    vi.stubEnv('RL_PLAYGROUND_CACHE', join(folder, 'cache'));
    expect(await exportProgram(['--model', 'starter-words', '--push', 'words'])).toBe(2);
    expect(said.at(-1)).toContain('"words" is no repository');
    const out = join(folder, 'pushed');
    expect(await exportProgram([...to, '--out', out, '--public']), `${said.join('\n')}`).toBe(0);
    const { files, commit, token } = hub.models.get('me/words') ?? { files: new Map<string, Uint8Array>() };
    expect(token).toBeUndefined();
    expect(said.at(-1)).toBe(`${hub.url}/me/words at commit ${commit}`);
    expect([...files.keys()].toSorted()).toEqual(readdirSync(out).toSorted());
    for (const [name, bytes] of files)
      expect(sha256(bytes), `${name}`).toBe(sha256(readFileSync(join(out, name))));
    // Without --out nothing stays on this machine, and the same bytes are not sent again.
    hub.uploads.splice(0);
    expect(await exportProgram([...to, '--public'])).toBe(0);
    expect(hub.uploads).toEqual([]);
    const [there, here] = [await loadModelNamed('me/words', { hubUrl: hub.url }), await loadModelNamed(out)];
    expect(there.contentHash).toBe(here.contentHash);
  } finally {
    vi.unstubAllEnvs();
    await hub.close();
  }
});

it('says what a run has nothing of, with exit code 2', async () => {
  expect(await exportProgram(['--format', 'peft', '--out', join(folder, 'none')])).toBe(2);
  expect(said.at(-1)).toContain('no LoRA adapter');
  expect(await exportProgram([])).toBe(2);
  expect(said.at(-1)).toContain('--out is missing');
});
