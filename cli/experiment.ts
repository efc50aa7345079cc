/**
 * `npm run experiment -- --task NAME[,NAME…] [--seeds 0-4] [--model DIR] [key=value …]`: runs of reinforcement learning under Node
 * (wasm, one thread, one process after the other) with the page's own loop, and one table row a seed, held against
 * the task's goal (cli/learningGoals.ts). Without a browser
 * in the way it is the quick road to tuning; results equal the page's on wasm.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { valueFromText } from '../src/config/describe.ts';
import { parseConfig } from '../src/config/check.ts';
import { defaultConfig } from '../src/config/presets.ts';
import { type RunConfig, isFieldKey } from '../src/config/schema.ts';
import { comparesWithinGroups } from '../src/config/settings/advantage.ts';
import { loadModel } from '../src/hub/load.ts';
import { filesInMemory } from '../src/hub/sources.ts';
import type { LoadedModel } from '../src/hub/types.ts';
import { findCollapse } from '../src/rl/diagnosis/collapse.ts';
import { createLocalPool } from '../src/rollout/localPool.ts';
import { isScratchModel, makeScratchModel } from '../src/run/models/scratchModels.ts';
import { freshStart, Session } from '../src/run/session.ts';
import { taskByName } from '../src/tasks/index.ts';
import { shortfalls, surelyRisen } from './learningGoals.ts';
import { startNodeBackend } from './nodeBackend.ts';

/** Updates of a warm start between two lines. */
const SFT_REPORT = 50;

const { values: args, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    task: { type: 'string', default: 'sum_digits' },
    seeds: { type: 'string', default: '0-4' },
    model: { type: 'string' },
    every: { type: 'string', default: '10' },
  },
});

function settings(task: string, seed: number): RunConfig {
  const base = defaultConfig(taskByName(task).name);
  const changes = positionals.map((pair) => {
    const at = pair.indexOf('=');
    const [key, text] = [pair.slice(0, at), pair.slice(at + 1)];
    if (!isFieldKey(key)) throw new Error(`${key} is no setting.`);
    return [key, valueFromText(key, text)];
  });
  const parsed = parseConfig({ ...base, ...Object.fromEntries(changes), seed });
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.config;
}

/** The folder of `--model`, else the model that the settings name. */
async function modelFor(config: RunConfig): Promise<LoadedModel> {
  if (args.model === undefined && isScratchModel(config.model)) return makeScratchModel(config);
  const folder = args.model ?? join('public/models', config.model);
  const files = new Map(
    readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]),
  );
  return loadModel(filesInMemory(folder, files));
}

async function fineTune(session: Session): Promise<void> {
  while (session.inSft) {
    await session.sftStep();
    const made = session.sftLosses.length;
    if (made % SFT_REPORT === 0 || !session.inSft)
      console.log(
        `seed ${session.config.seed} warm start ${made}  loss ${session.sftLosses.at(-1)?.toFixed(4)}`,
      );
  }
}

async function run(config: RunConfig): Promise<string> {
  const began = performance.now();
  const session = await Session.open(config, freshStart(await modelFor(config)), {
    createPool: (generator, { generatorPrecision }) => createLocalPool(generator, generatorPrecision),
    now: () => performance.now(),
  });
  await fineTune(session);
  const sftSeconds = ((performance.now() - began) / 1000).toFixed(0);
  await session.evaluate({});
  let collapse = '';
  while (session.step < config.numSteps) {
    await session.trainStep({});
    const metrics = session.metrics.at(-1);
    collapse ||= findCollapse(session.metrics, comparesWithinGroups(config))?.title ?? '';
    if (metrics && session.step % Number(args.every) === 0) {
      const {
        reward,
        accuracy,
        format,
        kl,
        entropy,
        gradNorm,
        meanLength,
        policyAgeMean: age,
        seconds,
      } = metrics;
      const numbers = { reward, accuracy, format, kl, entropy, gradNorm, meanLength, age, seconds };
      const text = Object.entries(numbers).map(([key, value]) => `${key} ${value?.toFixed(3) ?? 'none'}`);
      console.log(`seed ${config.seed} step ${session.step}  ${text.join('  ')}`);
    }
    if (config.evalEvery > 0 && session.step % config.evalEvery === 0 && session.step < config.numSteps) {
      await session.evaluate({});
      const latest = session.evaluations.at(-1);
      console.log(
        `seed ${config.seed} step ${session.step}  held-out accuracy ${latest?.accuracy} format ${latest?.format}`,
      );
    }
  }
  await session.evaluate({});
  const [before, after] = [session.evaluations[0], session.evaluations.at(-1)];
  session.dispose();
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const warm = config.warmStartSteps > 0 ? `${config.warmStartSteps} steps, ${sftSeconds} s` : 'none';
  if (!before || !after) throw new Error('The run was not evaluated.');
  const arrow = (key: 'accuracy' | 'format'): string =>
    `${before[key].toFixed(3)} → ${after[key].toFixed(3)}`;
  const outcome = {
    task: config.task,
    evalBefore: before,
    evalAfter: after,
    wallSeconds: (performance.now() - began) / 1000,
  };
  const cells = [
    config.task,
    config.seed,
    config.numSteps,
    arrow('accuracy'),
    surelyRisen(before, after).toFixed(3),
    arrow('format'),
    warm,
    `${seconds} s`,
    collapse || 'none',
    shortfalls(outcome).join(', ') || 'reached',
  ];
  return `| ${cells.join(' | ')} |`;
}

function seedList(text: string): number[] {
  const [first = 0, last = first] = text.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

await startNodeBackend();
const rows: string[] = [];
for (const task of args.task.split(',')) {
  for (const seed of seedList(args.seeds)) {
    rows.push(await run(settings(task, seed)));
    console.log(rows.at(-1));
  }
}
console.log(
  [
    '| task | seed | steps | accuracy | rise, 95 % at least | format | warm start | wall | collapse | goals |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n'),
);
