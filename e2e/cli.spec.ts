/** Words that `npm run train` can't follow: an exit code that is not 0, and why on the error stream. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from './fixtures.ts';

const program = fileURLToPath(new URL('../cli/run.mjs', import.meta.url));

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

const CASES = [
  { words: ['--task', 'chess'], code: 2, says: ['chess', 'sum_digits', 'reverse_digits'] },
  { words: ['--num-generators', '0'], code: 2, says: ['--num-generators', '0', '1', '64'] },
  { words: ['--num-generators', '1000000'], code: 2, says: ['--num-generators', '1000000', '64'] },
  { words: ['--backend', 'cuda'], code: 2, says: ['cuda', 'webgpu', 'wasm'] },
  { words: ['--model', 'nobody/nothing', '--backend', 'wasm'], code: 1, says: ['nobody/nothing', 'starter'] },
];

for (const { words, code, says } of CASES) {
  test(`train ${words.join(' ')}`, async () => {
    const outcome = await train(...words);
    for (const part of says) expect(outcome.errors).toContain(part);
    expect(outcome.code).toBe(code);
  });
}
