import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeRolloutsParquet } from './rolloutsParquet.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parquet-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const at = (name: string): string => join(folder, name);

/** A line of `rollouts.jsonl`, with every field. */
const row = (step: number, attempt: number) => ({
  step,
  group: 2,
  problem_index: 7 * step,
  attempt,
  task: 'gcd',
  question: 'What is the gcd of 12 and 18?\n“Quoted”, ünïcode 🙂',
  answer: '6',
  completion: `<answer>${step}</answer>`,
  extracted: attempt === 0 ? null : String(step),
  prompt_tokens: 12,
  completion_tokens: 5,
  reward: attempt === 1 ? null : 1 / 3,
  reward_parts: { accuracy: 1, 'own part': 0.1 },
  reward_reason: 'right',
  correct: step % 2 === 0,
  format: true,
  advantage: -1e-7 * step,
  trained_on: true,
  stop_reason: 'stop',
  policy_version: step,
  policy_age: 0,
  mean_logprob: -0.123456789012345,
  prompt_ids: [1, 2],
  tokens: [7, 8],
  logprobs: [-0.5, -1.25],
  advantages: null,
  train_logprobs: [-0.5, -1.25],
  old_logprobs: 'logprobs',
  reference_logprobs: null,
  entropies: [0.25, 2],
});
const text = (rows: readonly object[]): string => rows.map((each) => `${JSON.stringify(each)}\n`).join('');

async function written(lines: string) {
  writeFileSync(at('rollouts.jsonl'), lines);
  const said: string[] = [];
  const count = await writeRolloutsParquet(at('rollouts.jsonl'), at('rollouts.parquet'), (words) =>
    said.push(words),
  );
  const { buffer } = new Uint8Array(readFileSync(at('rollouts.parquet')));
  return { count, said, rows: await parquetReadObjects({ file: buffer }), metadata: parquetMetadata(buffer) };
}

test('every field of every completion comes back from a reader of parquet', async () => {
  const rows = [1, 2, 3].flatMap((step) => [row(step, 0), row(step, 1), row(step, 2)]);
  const { count, rows: found, metadata } = await written(text(rows));
  expect(count).toBe(9);
  expect(found).toEqual(rows);
  const types = new Map(
    metadata.schema.map(({ name, type, converted_type }) => [name, [type, converted_type]]),
  );
  expect(types.get('step')).toEqual(['INT32', undefined]);
  expect(types.get('completion')).toEqual(['BYTE_ARRAY', 'UTF8']);
  expect(types.get('reward_parts')).toEqual(['BYTE_ARRAY', 'JSON']);
  expect(types.get('mean_logprob')).toEqual(['DOUBLE', undefined]);
});

test('a long file becomes several row groups, and what an earlier version did not write is null', async () => {
  const rows = Array.from({ length: 10_001 }, (_, i) => ({ step: i, completion: 'x' }));
  const { count, rows: found, metadata } = await written(text(rows));
  expect(count).toBe(10_001);
  expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([10_000, 1]);
  expect(found.map(({ step }) => step as number)).toEqual(rows.map(({ step }) => step));
  expect(found[10_000]).toMatchObject({ step: 10_000, completion: 'x', reward: null, reward_parts: null });
});

test('a last line that a killed run tore off is left out and named; any other is an error that leaves nothing', async () => {
  const { count, said } = await written(`${text([row(1, 0)])}{"step":2,"gro`);
  expect(count).toBe(1);
  expect(said.join()).toMatch(/rollouts\.jsonl, line 2: .*last line.* left out/);
  rmSync(at('rollouts.parquet'));
  await expect(written(`{"step":\n${text([row(1, 0)])}`)).rejects.toThrow(/rollouts\.jsonl, line 1/);
  await expect(written(text([row(1, 0), { ...row(2, 0), reward: 'high' }]))).rejects.toThrow(
    /line 2: "reward" is no DOUBLE/,
  );
  expect([existsSync(at('rollouts.parquet')), existsSync(at('rollouts.parquet.tmp'))]).toEqual([
    false,
    false,
  ]);
});
