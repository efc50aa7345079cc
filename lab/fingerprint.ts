/**
 * `npm run lab -- fingerprint`: checks results that must not change when code is only moved. Every line is `NAME SHA256`: of the metrics
 * of short runs (presets, schedules, LoRA, starters, losses), of their checkpoints and run directories to the byte, of the tasks'
 * problems and scores, of links and of the engine's exports. They are compared with `lab/fingerprints.txt`. It runs on wasm under Node,
 * with one thread.
 */
import { type LoadedModel, type OpenFile, zipPieces } from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT, LOSS_NAMES } from '@rl-playground/engine/parts/tensors';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  PRESET_NAMES,
  parseConfig,
  defaultConfig,
  PRESETS,
  FIELD_KEYS,
  type RunConfig,
  configToQuery,
} from '@rl-playground/run/settings';
import * as engineExports from '@rl-playground/engine';
import { MACHINE_KEYS, METRICS, type StepMetrics } from '@rl-playground/run/metrics';
import { BUNDLED_MODELS, isScratchModel, makeScratchModel } from '@rl-playground/run/models';
import { checkpointFiles, type CheckpointParts } from '@rl-playground/run/checkpoint';
import { keepCheckpointWhenDue, runFiles } from '@rl-playground/run/directory';
import { metricsRecord } from '@rl-playground/run/records';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';
import { scoreItems, TASKS, type Completion, type Reward, type Task } from '@rl-playground/tasks/parts';
import { drawsFor } from '@rl-playground/base/random';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { printLine } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram } from '../src/cli/program.ts';
import { repository } from '../src/cli/tools.ts';
import '@rl-playground/tasks/words';

const TABLE = join(repository, 'lab/fingerprints.txt');
const STEPS = 10;

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

async function zipHash(files: ReadonlyMap<string, OpenFile>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of zipPieces(files)) hash.update(bytes);
  return hash.digest('hex');
}

const models = new Map<string, Promise<LoadedModel>>();

function modelOf(config: RunConfig): Promise<LoadedModel> {
  if (isScratchModel(config.model)) return makeScratchModel(config);
  const known = models.get(config.model);
  if (known !== undefined) return known;
  const model = loadModelNamed(config.model);
  models.set(config.model, model);
  return model;
}

/** Replaces the numbers that the machine decides by zeros. */
function timeless(metrics: readonly StepMetrics[]): StepMetrics[] {
  const zeros = Object.fromEntries(MACHINE_KEYS.map((key) => [key, 0]));
  return metrics.map((step) => ({ ...step, ...zeros }));
}

function timelessParts(parts: CheckpointParts): CheckpointParts {
  return {
    ...parts,
    metrics: timeless(parts.metrics),
    evaluations: parts.evaluations.map((evaluation) => ({ ...evaluation, seconds: 0 })),
  };
}

/** The part of a run that is compared; its sizes are cut to what a minute allows. */
function shortRun(changes: Partial<RunConfig>, base: RunConfig): RunConfig {
  const parsed = parseConfig({
    ...base,
    problemsPerStep: Math.min(base.problemsPerStep, 8),
    rolloutsPerProblem: Math.min(base.rolloutsPerProblem, 4),
    maxTokens: Math.min(base.maxTokens, 64),
    miniBatchSize: Math.min(base.miniBatchSize, 4),
    warmStartSteps: Math.min(base.warmStartSteps, 30),
    evalSamples: 8,
    numSteps: Math.max(base.numSteps, STEPS),
    ...changes,
  });
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.config;
}

interface Outcome {
  readonly metrics: string;
  /** Hashes of zips. */
  readonly checkpoint: string;
  readonly directory: string;
}

async function outcomeOf(config: RunConfig, steps: number): Promise<Outcome> {
  const session = await Session.open(config, freshStart(await modelOf(config)), LOCAL_ENVIRONMENT);
  try {
    while (session.inSft) await session.sftStep();
    await session.evaluate({});
    while (session.step < steps) {
      await session.trainStep({});
      await keepCheckpointWhenDue(session);
    }
    await session.evaluate({});
    const parts = timelessParts(await session.parts());
    // Checkpoints on the way hold times of the machine.
    for (const { step } of session.log.checkpoints) session.log.releaseCheckpoint(step);
    return {
      metrics: parts.metrics.map((step) => JSON.stringify(metricsRecord(step))).join('\n'),
      checkpoint: await zipHash(await checkpointFiles(parts)),
      directory: await zipHash(await runFiles(parts, session.log)),
    };
  } finally {
    session.dispose();
  }
}

interface Run {
  readonly name: string;
  readonly config: RunConfig;
  readonly steps: number;
}

function presetRuns(): Run[] {
  return PRESET_NAMES.map((preset) => ({
    name: `preset ${preset}`,
    config: shortRun({}, defaultConfig(PRESETS[preset].task ?? 'reverse_digits', preset)),
    steps: STEPS,
  }));
}

function scheduleRuns(): Run[] {
  const base = defaultConfig('reverse_digits');
  return (['sync', 'stream', 'async'] as const).flatMap((schedule) =>
    [0, 4].map((loraRank) => ({
      name: `schedule ${schedule} ${loraRank > 0 ? 'LoRA' : 'full'}`,
      config: shortRun({ schedule, loraRank, seed: 3 }, base),
      steps: STEPS,
    })),
  );
}

function starterRuns(): Run[] {
  return BUNDLED_MODELS.map((model) => {
    // A model that no task begins with gets the first task.
    const task = TASKS.find(({ starter }) => starter?.model === model) ?? TASKS[0];
    const config = shortRun({ seed: 1, model }, defaultConfig(task?.name ?? ''));
    return { name: `starter ${model}`, config, steps: STEPS };
  });
}

function lossRuns(): Run[] {
  const sizes = { problemsPerStep: 4, rolloutsPerProblem: 4, ppoEpochs: 2, learningRate: 1e-3, seed: 5 };
  return LOSS_NAMES.map((loss) => ({
    name: `loss ${loss}`,
    config: shortRun({ ...sizes, loss, lossReduction: 'auto' }, defaultConfig('reverse_digits')),
    steps: 3,
  }));
}

function otherRuns(): Run[] {
  const base = defaultConfig('reverse_digits');
  const of = (name: string, changes: Partial<RunConfig>): Run => ({
    name,
    config: shortRun(changes, base),
    steps: 4,
  });
  return [
    of('warm-up', { warmStartSteps: 5 }),
    of('curriculum', { curriculum: 'success', curriculumEvery: 1 }),
    of('KL terms', {
      klBeta: 0.05,
      klPenaltyCoef: 0.02,
      klReference: 'past',
      klReferenceEvery: 2,
      computePostKl: true,
    }),
    of('mixture', {
      task: 'mixture',
      mixture: [
        { task: 'sum_digits', weight: 1, config: {} },
        { task: 'reverse_digits', weight: 2, config: {} },
      ],
    }),
    of('16-bit generators', { generatorPrecision: 'f16' }),
  ];
}

const PROBLEMS = 12;

/** JSON with the names of every object in order, so that the order in which code sets them decides nothing. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A reward without the words for it. */
const numbersOf = (reward: Reward): Partial<Reward> =>
  Object.fromEntries(Object.entries(reward).filter(([key]) => key !== 'reason'));

/**
 * The problems at the defaults and at every level, as both kinds of model are asked; demonstrations; and the scores of right, wrong and
 * cut answers.
 */
async function taskText(task: Task): Promise<string> {
  if (task.dataset)
    return sortedJson([task.name, task.title, task.summary, task.fields, task.defaults, task.levels]);
  const parts: unknown[] = [
    task.name,
    task.title,
    task.summary,
    task.source,
    task.family,
    task.fields,
    task.starter,
  ];
  const settings = [task.defaults, ...task.levels.map((level) => ({ ...task.defaults, ...level }))];
  for (const config of settings) {
    parts.push(task.checkConfig(config), task.space(config));
    for (let index = 0; index < PROBLEMS; index++) {
      const problem = task.generate(7, index % 3 === 0 ? 'eval' : 'train', index, config);
      const texts = [
        task.workedAnswer(problem),
        ...[0, 1, 2].map((draw) => task.demonstration(problem, drawsFor(7, index, draw))),
        problem.answer,
        `<answer>${problem.answer}</answer>`,
        '<answer>1</answer>',
        'no idea',
      ];
      const completions = texts.map((text): Completion => ({ text, tokens: [1, 2], stopReason: 'eos' }));
      const items = completions.map((completion) => ({ problem, completion }));
      const strict = (await scoreItems(task, items, { mode: 'strict', config })).map(numbersOf);
      const upstream = (await scoreItems(task, items, { mode: 'upstream', config })).map(numbersOf);
      parts.push(
        problem,
        task.messages(problem, 'full'),
        task.messages(problem, 'compact'),
        texts,
        strict,
        upstream,
      );
    }
  }
  return sortedJson(parts);
}

function* settingsTexts(): Generator<[string, string]> {
  const links = PRESET_NAMES.flatMap((preset) =>
    ['reverse_digits', 'rpn_arithmetic', 'gsm8k', 'spell_backward'].map((task) => {
      const config = defaultConfig(task, preset);
      return [JSON.stringify(config), configToQuery({ ...config, seed: 9, learningRate: 0.5 })];
    }),
  );
  yield ['settings and links', JSON.stringify([FIELD_KEYS, links])];
  yield [
    'metric names',
    JSON.stringify(METRICS.map(({ key, names, label, unit, formula }) => [key, names, label, unit, formula])),
  ];
  yield ['engine exports', Object.keys(engineExports).toSorted().join(' ')];
}

/** True if lines of that name were asked for: all, or those that begin with one of the names. */
const isWanted = (name: string, wanted: readonly string[]): boolean =>
  wanted.length === 0 || wanted.some((start) => name.startsWith(start) || start.startsWith(`${name}:`));

async function* fingerprints(wanted: readonly string[]): AsyncGenerator<[string, string]> {
  for (const [name, text] of settingsTexts()) if (isWanted(name, wanted)) yield [name, sha256(text)];
  for (const task of TASKS) {
    const name = `task ${task.name}`;
    if (isWanted(name, wanted)) yield [name, sha256(await taskText(task))];
  }
  const runs = [...presetRuns(), ...scheduleRuns(), ...starterRuns(), ...lossRuns(), ...otherRuns()];
  for (const { name, config, steps } of runs.filter((run) => isWanted(run.name, wanted))) {
    const outcome = await outcomeOf(config, steps);
    yield [`${name}: metrics`, sha256(outcome.metrics)];
    yield [`${name}: checkpoint`, outcome.checkpoint];
    yield [`${name}: run directory`, outcome.directory];
  }
}

function nameOf(line: string): string {
  return line.slice(0, line.lastIndexOf(' '));
}

/** Prints the differences from the committed table, and returns true if there are any. */
function compare(lines: readonly string[], wanted: readonly string[]): boolean {
  const known = readFileSync(TABLE, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => isWanted(nameOf(line).replace(/: [^:]*$/, ''), wanted));
  const differing = lines.filter((line) => !known.includes(line));
  const made = new Set(lines.map(nameOf));
  const gone = known.filter((line) => !made.has(nameOf(line)));
  for (const line of differing) printLine(`differs: ${nameOf(line)}`);
  for (const line of gone) printLine(`no longer made: ${nameOf(line)}`);
  const differ = differing.length + gone.length;
  printLine(`${lines.length - differing.length} equal, ${differ} differ`);
  return differ > 0;
}

const line = () =>
  command(
    'npm run lab -- fingerprint',
    'Recomputes what must not change when code is only moved, and compares it with lab/fingerprints.txt. Ends with 1 where something differs.',
    '"task gcd" preset settings',
  )
    .argument('[name...]', 'beginnings of the names of lines; all lines without one')
    .option('--write', 'renew the whole table');

export default simpleProgram<{ readonly write?: true }>(line, async ({ write }, wanted) => {
  if (write && wanted.length > 0) throw new BadInput('--write renews the whole table and takes no names.');
  await startBackendInNode();
  const lines: string[] = [];
  for await (const [name, hash] of fingerprints(wanted)) {
    lines.push(`${name} ${hash}`);
    printLine(lines.at(-1));
  }
  if (!write) return compare(lines, wanted) ? 1 : 0;
  writeFileSync(TABLE, `${lines.join('\n')}\n`);
  printLine(`${lines.length} written to lab/fingerprints.txt`);
  return 0;
});
