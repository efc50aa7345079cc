/** Words that `npx rl-playground train` can't follow: an exit code that is not 0, and why on the error stream; and models from beside the page. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { parseSafetensors } from '@rl-playground/engine/parts';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { expect, slowTest, test } from './fixtures.ts';
import { starterAdapter } from './starterAdapter.ts';

const program = fileURLToPath(new URL('../src/cli/run.mjs', import.meta.url));

const answer = z.object({ logprobs: z.array(z.number()), entropy: z.array(z.number()) });

interface Outcome {
  readonly code: number;
  readonly errors: string;
}

function train(...words: readonly string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program, 'train', ...words], (_error, _output, errors) => {
      if (child.exitCode === null) reject(new Error(`It was ended by ${child.signalCode ?? 'nobody'}.`));
      else resolve({ code: child.exitCode, errors });
    });
  });
}

const FEW = [{ words: ['--model', './nowhere'], code: 2, says: ['./nowhere does not exist'] }];
/** `src/cli/trainArguments.test.ts` reads such words without a program. */
const ALL = [
  ...FEW,
  { words: ['--task', 'chess'], code: 2, says: ['chess', 'sum_digits', 'reverse_digits'] },
  { words: ['--model', 'nothing'], code: 2, says: ['"nothing"', 'starter', 'org/name'] },
  { words: ['--num-generators', '0'], code: 2, says: ['--num-generators', '0', '1', '64'] },
  { words: ['--num-generators', '1000000'], code: 2, says: ['--num-generators', '1000000', '64'] },
  { words: ['--backend', 'cuda'], code: 2, says: ['cuda', 'webgpu', 'wasm'] },
];

for (const { words, code, says } of provenBy(ALL, FEW)) {
  test(`train ${words.join(' ')}`, async () => {
    const outcome = await train(...words);
    for (const part of says) expect(outcome.errors).toContain(part);
    expect(outcome.code).toBe(code);
  });
}

slowTest('train reads a model and an adapter from their folders', async () => {
  // hubModel.spec.ts begins a run from an adapter, and `src/cli/trainFiles.test.ts` has the folders.
  const folder = fileURLToPath(new URL('../public/models/starter', import.meta.url));
  const adapter = test.info().outputPath('adapter');
  const run = test.info().outputPath('run');
  mkdirSync(adapter);
  for (const [name, bytes] of starterAdapter({ name: '/elsewhere', revision: null }))
    writeFileSync(join(adapter, name), bytes);
  const small = ['problemsPerStep=2', 'rolloutsPerProblem=2', 'maxTokens=8', '--eval-samples', '2'];
  const words = ['--model', folder, '--adapter', adapter, '--num-steps', '1', '--backend', 'wasm'];
  const outcome = await train(...words, '--num-generators', '1', '--out', run, ...small);
  // The made-up adapter leaves the model sure of every token, and answers are cut before their tag, both of which is said.
  const errors = outcome.errors
    .replace(/^warning: none of the first 2 answers .*\n(?: .*\n)+/, '')
    .replace(/^collapse: .*\n/, '');
  expect({ ...outcome, errors }).toEqual({ code: 0, errors: '' });
  const config: unknown = JSON.parse(readFileSync(join(run, 'config.json'), 'utf8'));
  expect(config).toMatchObject({ loraRank: 3, loraAlpha: 6, loraTargets: ['q_proj', 'up_proj'] });
  // One update of so small a rate leaves it near what it was; a new adapter would have zeros in B.
  const factors = (bytes: Uint8Array | undefined) =>
    parseSafetensors(bytes ?? new Uint8Array(), 'the adapter').tensors;
  const name = 'adapter_model.safetensors';
  const before = factors(starterAdapter({ name: '/elsewhere', revision: null }).get(name));
  for (const [tensor, { data }] of factors(readFileSync(join(run, 'final_model/adapter', name))))
    data.forEach((value, i) => expect(value, `${tensor}`).toBeCloseTo(before.get(tensor)?.data[i] ?? NaN, 3));
});

test('model answers on a GPU as it does without one', async () => {
  // Frozen bases on WebGPU are held to the libraries' answers beside the kernels.
  const folder = mkdtempSync(join(tmpdir(), 'model-rows-'));
  const rows = join(folder, 'rows.jsonl');
  const asked = [{ op: 'logprobs', ids: [3, 1, 4, 1, 5, 9, 2, 6], temperature: 0.7 }, { op: 'nothing' }];
  writeFileSync(rows, asked.map((row) => JSON.stringify(row)).join('\n'));
  const answers = async (backend: string): Promise<string[]> => {
    const words = [program, 'model', 'starter', '--in', rows, '--backend', backend];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    return stdout.split('\n');
  };
  const [onCpu, onGpu] = [await answers('wasm'), await answers('webgpu')];
  rmSync(folder, { recursive: true });
  expect(onGpu.slice(1)).toEqual(onCpu.slice(1));
  expect(onCpu.slice(1)).toEqual([expect.stringContaining('There is no op'), '']);
  const [ours, theirs] = [onGpu, onCpu].map(([line = '']) => answer.parse(JSON.parse(line)));
  expect(ours?.logprobs).toHaveLength(7);
  ours?.logprobs.forEach((value, i) => expect(value).toBeCloseTo(theirs?.logprobs[i] ?? NaN, 4));
  ours?.entropy.forEach((value, i) => expect(value).toBeCloseTo(theirs?.entropy[i] ?? NaN, 4));
});
