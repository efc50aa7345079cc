import { beforeAll, describe, expect, test } from 'vitest';
import {
  type LoadedModel,
  widened,
  type WeightArrays,
  type EngineEnvironment,
} from '@rl-playground/engine/parts';
import { startBackend, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { readSftRows, type SftFile } from '../sft/sftRows.ts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { readMetricsLog } from '../records/metricsLog.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';
import { unzipped } from '@rl-playground/engine/testing/zips';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const CONFIG: RunConfig = {
  ...defaultConfig('sum_digits'),
  taskConfig: {},
  warmStartSteps: 5,
  warmStartBatch: 4,
  warmStartData: 'rows.jsonl',
  numSteps: 2,
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  evalSamples: 4,
  maxTokens: 10,
  seed: 3,
};

const ENVIRONMENT: EngineEnvironment = {
  createPool: (model, { generatorPrecision }) => createLocalPool(model, generatorPrecision),
  now: () => performance.now(),
};

/** More rows than one update takes and fewer than all of them do, so that the order of a second epoch counts too. */
const ROWS: SftFile = {
  name: 'rows.jsonl',
  rows: readSftRows(
    Array.from({ length: 7 }, (_, i) =>
      JSON.stringify({ prompt: `${i}+${i + 1}`, completion: `[ANSWER] ${2 * i + 1}` }),
    ).join('\n'),
    'rows.jsonl',
  ),
};

const model = (): Promise<LoadedModel> => tinyStarter(starterInNode());

async function begin(config = CONFIG, sftFile: SftFile = ROWS): Promise<Session> {
  return Session.open(config, { ...freshStart(await model()), sftFile }, ENVIRONMENT);
}

async function warmed(session: Session, updates = Infinity): Promise<Session> {
  for (let made = 0; session.inSft && made < updates; made++) await session.sftStep();
  return session;
}

/** The outcome of a run after its last step, without what the clock says; the session is disposed of. */
async function outcome(session: Session) {
  await session.evaluate({});
  while (session.step < session.config.numSteps) await session.trainStep({});
  const {
    model: after,
    optimizer,
    reference,
    adapter,
    metrics,
    trainerState,
    sftFile,
  } = await session.parts();
  session.dispose();
  return {
    weights: await widened(after.weights),
    optimizer,
    reference,
    adapter,
    sftFile,
    losses: metrics.map(({ loss, kl, reward }) => [loss, kl, reward]),
    sft: [trainerState?.sftLosses, trainerState?.sftTokens],
  };
}

/** The names of the weights that differ. */
function changed(before: WeightArrays, after: WeightArrays): string[] {
  return [...after].flatMap(([name, { data }]) =>
    data.every((value, i) => value === before.get(name)?.data[i]) ? [] : [name],
  );
}

describe('a warm-up on rows of a file', () => {
  test.each([
    ['all weights', CONFIG],
    ['an adapter', { ...CONFIG, loraRank: 2, loraAlpha: 4 }],
  ])(
    'of %s, saved in its midst with its rows and resumed, equals one never stopped to the bit',
    async (_, config) => {
      const whole = await outcome(await warmed(await begin(config)));
      const before = await warmed(await begin(config), 2);
      const zip = await writeCheckpoint(await before.parts());
      before.dispose();
      const files = await unzipped(zip);
      const log = new TextDecoder().decode(files.get('metrics.jsonl'));
      const [first, second, ...more] = log.trimEnd().split('\n');
      expect(more).toEqual([]);
      const losses = before.sftLosses;
      expect(JSON.parse(first ?? '')).toMatchObject({ step: -4, 'sft/step': 1, 'sft/loss': losses[0] });
      expect(JSON.parse(second ?? '')).toMatchObject({ step: -3, 'sft/step': 2, 'sft/loss': losses[1] });
      expect(readMetricsLog(log)).toEqual([]);
      const parts = await readZippedCheckpoint(zip);
      expect(parts.sftFile).toEqual(ROWS);
      const resumed = await Session.open(parts.runConfig ?? config, parts, ENVIRONMENT);
      expect(resumed.sftLosses).toHaveLength(2);
      expect(await outcome(await warmed(resumed))).toEqual(whole);
    },
  );

  test('learns the rows: their answers become likely, those of other rows take another course', async () => {
    const config = { ...CONFIG, warmStartSteps: 60, warmStartBatch: 7, warmStartLearningRate: 1e-2 };
    const session = await warmed(await begin(config));
    const { sftLosses } = session;
    session.dispose();
    expect(sftLosses.at(-1)).toBeLessThan(0.5 * (sftLosses[0] ?? 0));
    const other = await warmed(
      await begin(CONFIG, {
        name: 'rows.jsonl',
        rows: ROWS.rows.map((row) => ({ ...row, completion: '[ANSWER] 0' })),
      }),
      1,
    );
    expect(other.sftLosses[0]).not.toBe(sftLosses[0]);
    other.dispose();
  });

  test('under LoRA trains the adapter beside frozen weights, and KL starts from what that made', async () => {
    const config: RunConfig = { ...CONFIG, loraRank: 2, loraAlpha: 4 };
    const weights = await widened((await model()).weights);
    const session = await warmed(await begin(config));
    const { adapter, reference, model: trained } = await session.parts();
    const merged = await widened(trained.weights);
    expect(changed(weights, adapter?.base ?? new Map())).toEqual([]);
    expect(changed(weights, merged).length).toBeGreaterThan(0);
    expect([...(reference ?? [])].map(([name, { data }]) => [name, data])).toEqual(
      [...merged].map(([name, { data }]) => [name, data]),
    );
    await session.trainStep({});
    // Merged and unmerged forward passes differ by rounding.
    expect(Math.abs(session.metrics[0]?.kl ?? 1)).toBeLessThan(1e-5);
    session.dispose();
  });

  test('does not begin without them, and says what to do', async () => {
    const start = freshStart(await model());
    await expect(Session.open(CONFIG, start, ENVIRONMENT)).rejects.toThrow(
      /learns from the file "rows\.jsonl", which is not loaded.*Choose that file/,
    );
    const sftFile = { ...ROWS, name: 'others.jsonl' };
    await expect(Session.open(CONFIG, { ...start, sftFile }, ENVIRONMENT)).rejects.toThrow('not loaded');
  });

  test('says which rows it can not use whole', async () => {
    const rows = readSftRows(
      [
        { prompt: '1+2', completion: '[ANSWER] 3' },
        { prompt: '1+2', completion: '1 2 3 4 5 6 7 8 9 1 2 3' },
        { prompt: '1'.repeat(600), completion: '1' },
        { prompt: '1+2', completion: '№' },
      ]
        .map((row) => JSON.stringify(row))
        .join('\n'),
      'rows.jsonl',
    );
    const session = await begin(CONFIG, { name: 'rows.jsonl', rows });
    const { maxPositions } = (await model()).config;
    expect(session.sftNote?.text).toBe(
      `Of 4 rows: 1 left out: too long for the model's ${maxPositions} positions. ` +
        "1 left out: answers with characters that the model's vocabulary lacks. " +
        '1 cut: answers of more than 10 tokens. Raise tokens per answer to learn all of them.',
    );
    session.dispose();
    await expect(begin(CONFIG, { name: 'rows.jsonl', rows: rows.slice(2) })).rejects.toThrow(
      /None of the 2 rows of rows\.jsonl can be learned from\. Too long for .*: 1; answers with characters .*: 1\. Choose/,
    );
  });
});
