/**
 * `npx rl-playground train --preset NAME` at its smallest: what it says, and that it trains and writes its run. One preset stands for the others,
 * whose settings and notes `src/cli/trainArguments.test.ts` holds and whose training `src/run/session/presets.test.ts` does; with PROOFS=all each is run.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { expect, test } from './fixtures.ts';

const program = fileURLToPath(new URL('../src/cli/run.mjs', import.meta.url));
const SIZES = ['batch_size=4', 'group_size=4', 'max_tokens=32', 'evalSamples=10', 'passAtK=1'];
const SMALLEST = ['--num-steps', '2', ...SIZES, '--backend', 'wasm'];

function train(preset: string, out: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const words = [program, 'train', '--preset', preset, ...SMALLEST, '--out', out];
    execFile(process.execPath, words, (error, output, errors) => {
      if (error) reject(new Error(`${output}${errors}`));
      else resolve(output);
    });
  });
}

const BASIC = ['tinker-rl-basic', 'Task: tinker_arithmetic instead of GSM8K.'] as const;
// The RLVR presets that take a minute of supervised updates first are trained in unit tests, without those.
const ALL = [
  ['monarch-digits', 'Model: starter instead of Qwen/Qwen2.5-0.5B-Instruct.'],
  BASIC,
  ['tinker-rl-loop', 'Model: starter-arithmetic instead of meta-llama/Llama-3.1-8B.'],
  ['rl-for-real-grpo', 'Model: starter-logic instead of Qwen/Qwen2.5-1.5B-Instruct.'],
  ['rlvr-test', 'Training rpn_arithmetic: 2 steps of 16 answers.'],
] as const;

for (const [preset, said] of provenBy(ALL, [BASIC]))
  test(`${preset}: says what it replaces, trains two steps and writes its run`, async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'rl-playground-preset-'));
    try {
      const out = join(scratch, 'run');
      const output = await train(preset, out);
      expect(output).toContain(said);
      // Before anything else: which algorithm runs, and what is paid.
      const [algorithm, reward, training] = ['Algorithm: ', 'Reward of ', 'Training '].map((words) =>
        output.search(new RegExp(`^${words}`, 'm')),
      );
      expect(algorithm).toBeGreaterThanOrEqual(0);
      expect(reward).toBeGreaterThan(algorithm ?? NaN);
      expect(training).toBeGreaterThan(reward ?? NaN);
      const read = (name: string): string => readFileSync(join(out, name), 'utf8');
      expect(JSON.parse(read('config.json'))).toMatchObject({
        preset,
        numSteps: 2,
        problemsPerStep: 4,
        rolloutsPerProblem: 4,
        maxTokens: 32,
      });
      expect(JSON.parse(read('train_results.json'))).toMatchObject({ train_steps: 2, train_samples: 32 });
      expect(read('rollouts.jsonl').trimEnd().split('\n')).toHaveLength(32);
      for (const file of ['metrics.jsonl', 'eval_results/eval_step_2.json', 'final_model/model.safetensors'])
        expect(existsSync(join(out, file))).toBe(true);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
