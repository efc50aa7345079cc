/** `npm run train -- --out DIR`: the run directory grows with the run, and is not written over. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMetricsLog } from '../src/run/records/metricsLog.ts';
import { expect, test } from './fixtures.ts';

const program = fileURLToPath(new URL('../cli/run.mjs', import.meta.url));
const SETTINGS = ['saveSteps=2', 'problemsPerStep=2', 'rolloutsPerProblem=4', 'maxTokens=24'];

function train(out: string): Promise<{ code: number; errors: string }> {
  const words = ['--task', 'reverse_digits', '--num-steps', '3', '--eval-samples', '5', '--backend', 'wasm'];
  const settings = SETTINGS.flatMap((setting) => ['--set', setting]);
  return new Promise((resolve, reject) => {
    const all = [program, 'train', ...words, ...settings, '--out', out];
    const child = execFile(process.execPath, all, (_error, _output, errors) => {
      if (child.exitCode === null) reject(new Error(`It was ended by ${child.signalCode ?? 'nobody'}.`));
      else resolve({ code: child.exitCode, errors });
    });
  });
}

test('a run writes its directory; a second run into it is refused', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'rl-playground-out-'));
  try {
    const out = join(scratch, 'run');
    const first = await train(out);
    expect(first.code).toBe(0);
    const read = (name: string): string => readFileSync(join(out, name), 'utf8');
    expect(readdirSync(out).sort()).toEqual([
      'checkpoint-2',
      'config.json',
      'eval_results',
      'final_model',
      'metrics.jsonl',
      'rollouts.jsonl',
      'train_results.json',
    ]);
    expect(readMetricsLog(read('metrics.jsonl')).map(({ step }) => step)).toEqual([1, 2, 3]);
    const completions = read('rollouts.jsonl').trimEnd().split('\n');
    expect(completions.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual(
      [1, 2, 3].flatMap((step) => Array.from({ length: 8 }, () => step)),
    );
    expect(readdirSync(join(out, 'eval_results')).sort()).toEqual(['eval_step_0.json', 'eval_step_3.json']);
    expect(JSON.parse(read('config.json'))).toMatchObject({ task: 'reverse_digits', saveSteps: 2 });
    expect(JSON.parse(read('checkpoint-2/trainer_state.json'))).toMatchObject({ step: 2 });
    expect(JSON.parse(read('final_model/trainer_state.json'))).toMatchObject({ step: 3 });
    expect(JSON.parse(read('train_results.json'))).toMatchObject({ train_steps: 3, train_samples: 24 });

    const written = statSync(join(out, 'metrics.jsonl')).mtimeMs;
    const second = await train(out);
    expect(second.errors).toContain('holds a run already');
    expect(second.code).toBe(2);
    expect(statSync(join(out, 'metrics.jsonl')).mtimeMs).toBe(written);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
