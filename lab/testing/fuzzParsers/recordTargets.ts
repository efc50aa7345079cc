/** Files that a run leaves and another page opens: its directory with log and answers, and hand-ins. */
import { pick, uniformInt } from '@rl-playground/base/random';
import { defaultConfig, parseRecord } from '@rl-playground/run/settings';
import { openBytes, filesInMemory, filesInZip } from '@rl-playground/engine/parts';
import { checkpointFiles, readCheckpoint } from '@rl-playground/run/checkpoint';
import {
  firstDifference,
  readHandIn,
  unconfirmed,
  writeHandIn,
  type RunLeft,
} from '@rl-playground/run/handIn';
import { newestModelFolder, openedDirectory, runFiles } from '@rl-playground/run/directory';
import { evalResultFromJson, readMetricsLog, answersOf, RunLog } from '@rl-playground/run/records';
import { hostileText } from '@rl-playground/base/testing/hostileText';
import { distinctStepMetrics } from '@rl-playground/run/testing/stepMetrics';
import { tinyCheckpointParts } from '@rl-playground/run/testing/tinyCheckpoint';
import { contents, zipBytes } from '@rl-playground/engine/testing/zips';
import { refusedInWords, type ParserTarget } from './harness.ts';
import { refusable } from './modelTargets.ts';
import { count, mutatedBytes, mutatedJson, mutatedText, type Draw } from './mutate.ts';

const utf8 = new TextEncoder();
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

const ANSWER = {
  step: 2,
  group: 0,
  problem_index: 3,
  task: 'sum_digits',
  question: '1+2',
  answer: '3',
  completion: '[ANSWER] 3',
  extracted: '3',
  reward: 1,
  reward_parts: { accuracy: 1 },
  reward_reason: 'right',
  correct: true,
  format: true,
  advantage: 0.5,
  trained_on: true,
  stop_reason: 'eos',
  policy_version: 1,
  policy_age: 0,
  prompt_ids: [1, 2],
  tokens: [3, 4],
  logprobs: [-0.5, -0.25],
  advantages: null,
  train_logprobs: [-0.5, -0.25],
  old_logprobs: 'logprobs',
  reference_logprobs: null,
  entropies: [0.1, 0.2],
};
const STEPS = [1, 2, 2, 12];

/** Answers whose steps go back, repeat and are invalid; lines that never end, or are many. */
function rollouts(draw: Draw): string {
  const kind = draw();
  if (kind < 0.2)
    return `{"step":${pick(draw, ['1', '9'.repeat(count(draw, 30)), '1,'])}`.repeat(count(draw, 3000));
  if (kind < 0.3)
    return `{"step":1,"question":"${'x'.repeat(count(draw, 2_000_000))}${pick(draw, ['"}\n', '', '\n'])}`;
  const lines = Array.from({ length: count(draw, 2000) }, (_, i) => {
    const line = { ...ANSWER, step: STEPS[i % STEPS.length] };
    return i < 10 && draw() < 0.4 ? mutatedJson(draw, line).slice(0, 200_000) : JSON.stringify(line);
  });
  const whole = lines.join(pick(draw, ['\n', '\n', '\n', '\r\n', '\n\n']));
  return draw() < 0.3 ? mutatedText(draw, whole) : `${whole}\n`;
}

const FOLDERS = [
  'checkpoint-1',
  'checkpoint-12',
  'checkpoint-007',
  'checkpoint-1e3',
  `checkpoint-${'9'.repeat(400)}`,
];

/** Folders that are many, that repeat a step, and that belong to no step. */
function manyFolders(draw: Draw, files: Map<string, Uint8Array>): void {
  const bytes = utf8.encode('{}');
  for (let i = count(draw, 20_000); i > 0; i--)
    files.set(`${draw() < 0.9 ? `checkpoint-${i}` : pick(draw, FOLDERS)}/trainer_state.json`, bytes);
}

async function directoryTarget(): Promise<ParserTarget> {
  const parts = await tinyCheckpointParts();
  const log = new RunLog();
  const lines = STEPS.map((step) => `${JSON.stringify({ ...ANSWER, step })}\n`).join('');
  log.store(12, { steps: 3, file: openBytes(utf8.encode(lines)) });
  log.addCheckpoint(2, await checkpointFiles(parts));
  const whole = await runFiles(parts, log);
  const files = await contents(whole);
  const zip = await zipBytes(whole);
  const small = [...files.keys()].filter(
    (name) => /\.(json|jsonl)$/.test(name) && name.startsWith('final_model/'),
  );

  const make = (draw: Draw): Map<string, Uint8Array> | Uint8Array => {
    if (draw() < 0.3) return mutatedBytes(draw, zip);
    const changed = new Map(files);
    const kind = draw();
    if (kind < 0.5) changed.set('rollouts.jsonl', utf8.encode(rollouts(draw)));
    else if (kind < 0.7) manyFolders(draw, changed);
    else if (kind < 0.8) {
      const name = pick(draw, [...files.keys()]);
      changed.delete(name);
      if (draw() < 0.7)
        changed.set(
          pick(draw, ['', '..', 'final_model', '__proto__', `${FOLDERS[2]}/${name}`]),
          files.get(name) ?? new Uint8Array(),
        );
    } else {
      const name = pick(draw, small);
      const before = text(files.get(name));
      const after = name.endsWith('.json')
        ? mutatedJson(draw, JSON.parse(before) as object)
        : mutatedText(draw, before);
      changed.set(name, utf8.encode(after));
    }
    return changed;
  };
  return {
    name: 'run directory',
    share: 10,
    make,
    read: async (input: Map<string, Uint8Array> | Uint8Array) =>
      refusable(async () => {
        const all =
          input instanceof Map ? filesInMemory('run', input) : await filesInZip('run', openBytes(input));
        const folder = newestModelFolder(all.names ?? []);
        if (folder === null) return;
        const { log: found } = await openedDirectory(all, folder, (model) => readCheckpoint(model));
        // The page asks for these when somebody looks at answers.
        for (const step of (await found.readableSteps()).slice(0, 20))
          await refusedInWords(async () => answersOf((await found.linesOf(step)) ?? ''));
      }),
  };
}

/** Files of a recorded run that reports and comparisons read, each as its text. */
async function logTarget(): Promise<ParserTarget> {
  const parts = await tinyCheckpointParts();
  const files = await contents(await runFiles(parts, new RunLog()));
  const metrics = text(files.get('metrics.jsonl'));
  const [step = ''] = metrics.split('\n').filter((line) => !line.includes('eval/step'));
  const evaluation = JSON.parse(text(files.get('eval_results/eval_step_12.json'))) as object;
  const config = JSON.parse(text(files.get('config.json'))) as object;
  type Input = { readonly file: 'metrics' | 'evaluation' | 'config'; readonly text: string };
  const make = (draw: Draw): Input => {
    const file = pick(draw, ['metrics', 'evaluation', 'config'] as const);
    if (file !== 'metrics') return { file, text: mutatedJson(draw, file === 'config' ? config : evaluation) };
    if (draw() < 0.3) return { file, text: mutatedText(draw, metrics) };
    const lines = Array.from({ length: count(draw, 500) }, () =>
      draw() < 0.5 ? step : mutatedJson(draw, JSON.parse(step) as object).slice(0, 100_000),
    );
    return { file, text: lines.join('\n') };
  };
  return {
    name: 'run log',
    share: 10,
    make,
    read: (input: Input) =>
      refusedInWords(() => {
        if (input.file === 'metrics') return readMetricsLog(input.text);
        let json: unknown;
        try {
          json = JSON.parse(input.text);
        } catch {
          throw new Error('It is not JSON.');
        }
        return input.file === 'evaluation' ? evalResultFromJson(json) : parseRecord(json);
      }),
  };
}

async function handInTarget(): Promise<ParserTarget> {
  const { customTasks, evaluations } = await tinyCheckpointParts();
  const config = { ...defaultConfig('reverse_digits'), numSteps: 4, evalEvery: 2 };
  const run: RunLeft = {
    config,
    customTasks,
    metrics: [1, 2, 3, 4].map((step) => distinctStepMetrics(step)),
    evaluations: evaluations.slice(0, 3).map((each, i) => ({ ...each, step: 2 * i })),
  };
  const written = writeHandIn('Ada', 'wasm', run);
  const make = (draw: Draw): string => {
    if (draw() < 0.2) return mutatedText(draw, written);
    const file = JSON.parse(written) as Record<string, unknown> & {
      metrics: unknown[];
      evaluations: unknown[];
    };
    const kind = draw();
    if (kind < 0.2) file.metrics = Array.from({ length: count(draw, 3000) }, () => file.metrics[0]);
    else if (kind < 0.4)
      file.evaluations = Array.from({ length: count(draw, 3000) }, (_, step) => ({ step }));
    else if (kind < 0.5) file['learner'] = hostileText(draw, 'Ada').slice(0, uniformInt(draw, 0, 90));
    return mutatedJson(draw, file);
  };
  return {
    name: 'hand-in',
    share: 10,
    make,
    read: (input: string) =>
      refusedInWords(() => {
        const handIn = readHandIn(input);
        const difference = firstDifference(handIn, run) ?? unconfirmed(handIn, run);
        if (difference && difference.claimed.length + difference.found.length > 200)
          throw new RangeError('What differs is told at length.');
      }),
  };
}

export async function recordTargets(): Promise<readonly ParserTarget[]> {
  return [await directoryTarget(), await logTarget(), await handInTarget()];
}
