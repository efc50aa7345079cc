/** `npx rl-playground train --out DIR`: the run directory grows with the run, belongs to one run, and is gone on with after whatever ended it. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lockFolder } from '@rl-playground/run/disk';
import { filesAtPath } from '@rl-playground/engine/parts/node';
import { loadModel } from '@rl-playground/engine/parts';
import { readMetricsLog } from '@rl-playground/run/records';
import { timeless } from '@rl-playground/run/metrics';
import { expect, slowTest, test } from './fixtures.ts';

const program = fileURLToPath(new URL('../src/cli/run.mjs', import.meta.url));
const WORDS = ['--task', 'reverse_digits', '--eval-samples', '5', '--backend', 'wasm'];
const SETTINGS = [...WORDS, 'problemsPerStep=2', 'rolloutsPerProblem=4', 'maxTokens=24'];
const SAVE_STEPS = 2;
const SAVING = [...SETTINGS, `saveSteps=${SAVE_STEPS}`];
const WHOLE = [...SAVING, '--num-steps', '3'];
/** Its steps do not depend on how many there are to be. */
const ENDLESS = [...SAVING, 'lrSchedule=constant', 'warmupSteps=0'];
/** More than are ever made: what is to be ended must not end by itself. */
const MANY = '100000';

let scratch = '';
test.beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rl-playground-out-'));
});
test.afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const begin = (...words: readonly string[]): ChildProcess =>
  spawn(process.execPath, [program, 'train', ...words], { stdio: ['ignore', 'ignore', 'pipe'] });

interface Outcome {
  /** The exit code; null if a signal ended the program. */
  readonly code: number | null;
  readonly errors: string;
}

async function ended(child: ChildProcess): Promise<Outcome> {
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void (errors += text));
  await once(child, 'close');
  return { code: child.exitCode, errors };
}

const train = (...words: readonly string[]): Promise<Outcome> => ended(begin(...words));

const appears = (path: string): Promise<void> => expect.poll(() => existsSync(path)).toBe(true);

/** The names in the folder of a run, without the checkpoints that a slow run makes each minute besides those that the settings ask for. */
const namesIn = (out: string): string[] =>
  readdirSync(out)
    .filter((name) => Number(/^checkpoint-(\d+)$/.exec(name)?.[1] ?? 0) % SAVE_STEPS === 0)
    .sort();

const metricsOf = (out: string) => readMetricsLog(readFileSync(join(out, 'metrics.jsonl'), 'utf8'));

/** The state that later steps depend on, and the results of a run: weights, optimizer, metrics without times, answers. */
const outcomeOf = (out: string) => ({
  ...Object.fromEntries(
    ['model', 'optimizer', 'reference'].map((name) => [
      name,
      readFileSync(join(out, 'final_model', `${name}.safetensors`)).toString('base64'),
    ]),
  ),
  // The share of the steps that are done depends on how many there are to be.
  metrics: timeless(metricsOf(out)).map((row) => ({ ...row, progressDone: null })),
  rollouts: readFileSync(join(out, 'rollouts.jsonl'), 'utf8'),
  evaluations: readdirSync(join(out, 'eval_results')).sort(),
});

test('a run writes its directory for itself alone', async () => {
  const [whole, model] = [join(scratch, 'whole'), join(scratch, 'my-model')];
  cpSync(fileURLToPath(new URL('../public/models/starter', import.meta.url)), model, { recursive: true });
  const words = [...WHOLE, '--model', model, '--out', whole];
  mkdirSync(whole);
  const unlock = lockFolder(whole);
  const refused = await train(...words);
  expect(refused.errors).toContain(`in use by another run (process ${process.pid}, since 2`);
  expect(refused.code).toBe(2);
  unlock();
  expect(await train(...words)).toEqual({ code: 0, errors: '' });
  const read = (name: string): string => readFileSync(join(whole, name), 'utf8');
  expect(namesIn(whole)).toEqual([
    'checkpoint-2',
    'config.json',
    'eval_results',
    'final_model',
    'metrics.jsonl',
    'rollouts.jsonl',
    'run.json',
    'train_results.json',
  ]);
  expect(metricsOf(whole).map(({ step }) => step)).toEqual([1, 2, 3]);
  const completions = read('rollouts.jsonl').trimEnd().split('\n');
  expect(completions.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual(
    [1, 2, 3].flatMap((step) => Array.from({ length: 8 }, () => step)),
  );
  expect(readdirSync(join(whole, 'eval_results')).sort()).toEqual(['eval_step_0.json', 'eval_step_3.json']);
  expect(JSON.parse(read('config.json'))).toMatchObject({ model: 'my-model', saveSteps: 2 });
  // The record that goes on with the run keeps the place of the model, and no file that leaves does.
  const files = readdirSync(whole, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  expect(paths.filter((path) => readFileSync(path).includes(scratch))).toEqual([join(whole, 'run.json')]);
  expect(JSON.parse(read('checkpoint-2/trainer_state.json'))).toMatchObject({ global_step: 2 });
  expect(JSON.parse(read('final_model/trainer_state.json'))).toMatchObject({ global_step: 3 });
  expect(JSON.parse(read('train_results.json'))).toMatchObject({ train_steps: 3, train_samples: 24 });
});

slowTest('a run that is killed and resumed comes to the same, to the bit', async () => {
  // `src/cli/resume.test.ts` kills and resumes a run in Node.
  const [whole, broken] = [join(scratch, 'whole'), join(scratch, 'broken')];
  const first = begin(...ENDLESS, '--num-steps', MANY, '--out', broken);
  await appears(join(broken, 'checkpoint-2'));
  first.kill('SIGKILL');
  await once(first, 'close');
  const last = String(metricsOf(broken).length + 1);
  expect(await train('--resume', broken, '--num-steps', last)).toEqual({ code: 0, errors: '' });
  expect(await train(...ENDLESS, '--num-steps', last, '--out', whole)).toEqual({ code: 0, errors: '' });
  expect(outcomeOf(broken)).toEqual(outcomeOf(whole));
  expect(namesIn(broken)).toEqual(namesIn(whole));
});

slowTest('a reader of its output that leaves, as `head` does, ends a run in order', async () => {
  // `src/cli/interruption.test.ts` holds the parts of it.
  const out = join(scratch, 'stopped');
  const run = spawn(process.execPath, [program, 'train', ...ENDLESS, '--num-steps', MANY, '--out', out], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const outcome = ended(run);
  await appears(join(out, 'checkpoint-2'));
  run.stdout.destroy();
  expect(await outcome).toMatchObject({ code: 141 });
  expect((await loadModel(await filesAtPath(join(out, 'final_model')))).weights.size).toBeGreaterThan(0);
});

slowTest('TERM leaves a model that loads, from which the run is gone on with', async () => {
  // `src/cli/interruption.test.ts` and `src/cli/resume.test.ts` hold the parts of it.
  const [whole, stopped] = [join(scratch, 'whole'), join(scratch, 'stopped')];
  const words = [...ENDLESS, 'evalEvery=1', '--num-steps'];
  const run = begin(...words, MANY, '--out', stopped);
  const outcome = ended(run);
  await appears(join(stopped, 'checkpoint-2'));
  run.kill('SIGTERM');
  expect(await outcome).toMatchObject({ code: 143 });
  const model = await loadModel(await filesAtPath(join(stopped, 'final_model')));
  expect(model.weights.size).toBeGreaterThan(0);
  const last = String(metricsOf(stopped).length + 1);
  expect(await train('--resume', stopped, '--num-steps', last)).toEqual({ code: 0, errors: '' });
  expect(await train(...words, last, '--out', whole)).toEqual({ code: 0, errors: '' });
  expect(outcomeOf(stopped)).toEqual(outcomeOf(whole));
  expect(await train('--resume', stopped)).toEqual({ code: 0, errors: '' });
});

slowTest(
  'a full disk ends a run with one line, nothing behind what did not fit, and no folder that is no checkpoint',
  async () => {
    // `src/cli/runDirectory.test.ts` fills such a disk without a browser.
    const disk = join(scratch, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120k', 'tmpfs', disk], { stdio: 'pipe' });
    } catch {
      test.skip(true, 'Mounting a small disk takes root.');
    }
    try {
      const out = join(disk, 'run');
      const outcome = await train(...SETTINGS, 'saveSteps=1', '--num-steps', '40', '--out', out);
      expect(outcome.errors).toMatch(
        /^\S+ could not be written: no space is left on the disk \(ENOSPC\)\.\n$/,
      );
      expect(outcome.code).toBe(1);
      // The step whose answers, or whose checkpoint, did not fit is the last that the log has: far from the 40 that were asked for.
      const answers = readFileSync(join(out, 'rollouts.jsonl'), 'utf8').split('\n').filter(Boolean);
      const whole = new Set(answers.map((line) => (JSON.parse(line) as { step: number }).step)).size;
      expect(metricsOf(out).length).toBeLessThanOrEqual(Math.min(whole + 1, 10));
      expect(readdirSync(out).filter((name) => /checkpoint|final_model/.test(name))).toEqual([]);
    } finally {
      execFileSync('umount', [disk]);
    }
  },
);
