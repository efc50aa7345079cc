import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { zipSync } from 'fflate';
import { tinyModelFolder } from '@rl-playground/engine/testing/modelFolder';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { captured, type Captured } from './testing/captured.ts';
import model from './model.ts';
import { repository } from './tools.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-'));
  writeFileSync(join(folder, 'tiny.zip'), zipSync(Object.fromEntries(tinyModelFolder()), { level: 0 }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program; with PROOFS=all as a person in the folder would. src/cli/grade.test.ts runs another one as npx does. */
async function ask(lines: string, file: string): Promise<Pick<Captured, 'code' | 'stdout'>> {
  const rows = join(folder, 'rows.jsonl');
  writeFileSync(rows, lines);
  if (!everyProof) return captured(model, join(folder, file), '--in', rows);
  const args = [join(repository, 'src/cli/bin.mjs'), 'model', file, '--in', 'rows.jsonl'];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, INIT_CWD: folder },
  });
  return { code: status ?? NaN, stdout };
}

test('each line is answered by one line, in order, and nothing else is printed', async () => {
  const rows = [
    '{"op":"encode","text":"40="}',
    'nonsense',
    '{"op":"decode","ids":[0,7,3,14]}',
    '{"op":"logits","ids":[4,5]}',
    '{"op":"info"}',
  ];
  const { stdout, code } = await ask(rows.join('\n'), 'tiny.zip');
  const [encoded, wrong, decoded, logits, info, ...rest] = stdout.split('\n');
  expect([encoded, decoded, rest, code]).toEqual(['{"ids":[7,3,14]}', '{"text":"40="}', [''], 0]);
  expect(wrong).toMatch(/^\{"error":"This line is no JSON/);
  expect((JSON.parse(logits ?? '') as { logits: number[][] }).logits.map((row) => row.length)).toEqual([
    20, 20,
  ]);
  expect(JSON.parse(info ?? '')).toMatchObject({ modelType: 'llama', vocabSize: 20, backend: 'wasm' });
});

test('a model that can’t be used is refused in one line, before any answer', async () => {
  const rows = join(folder, 'rows.jsonl');
  writeFileSync(rows, '{"op":"info"}\n');
  expect(await captured(model, './nothing', '--in', rows)).toEqual({
    code: 2,
    stdout: '',
    stderr: './nothing does not exist. Give a folder in Hugging Face layout, a zip of one, or a GGUF file.\n',
  });
});
