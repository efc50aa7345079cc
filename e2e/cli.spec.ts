/** Words that `npm run train` can't follow: an exit code that is not 0, and why on the error stream; and models from beside the page. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { everyProof, provenBy } from '../src/testing/proofs.ts';
import { expect, test } from './fixtures.ts';

const program = fileURLToPath(new URL('../cli/run.mjs', import.meta.url));

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

const FEW = [
  { words: ['--task', 'chess'], code: 2, says: ['chess', 'sum_digits', 'reverse_digits'] },
  { words: ['--model', 'nothing'], code: 2, says: ['"nothing"', 'starter', 'org/name'] },
  { words: ['--model', './nowhere'], code: 2, says: ['./nowhere does not exist'] },
];
/** `cli/trainArguments.test.ts` reads such words without a program. */
const ALL = [
  ...FEW,
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

test('train reads a model from its folder', async () => {
  const folder = fileURLToPath(new URL('../public/models/starter', import.meta.url));
  const small = ['problemsPerStep=2', 'rolloutsPerProblem=2', 'maxTokens=8', '--eval-samples', '2'];
  const words = ['--model', folder, '--num-steps', '1', '--backend', 'wasm', '--num-generators', '1'];
  expect(await train(...words, ...small)).toEqual({ code: 0, errors: '' });
});

test('model answers on a GPU as it does without one', async () => {
  // Frozen bases on WebGPU are held to the libraries' answers beside the kernels.
  test.skip(!everyProof, 'with PROOFS=all');
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
