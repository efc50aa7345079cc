/** GSM8K's own rows, given as files, asked of a model with a tokenizer and template of the Hugging Face libraries: two steps, and two of Tinker's preset. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { jsonBytes } from '@rl-playground/base/json';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import { loadModel, openBytes, type LoadedModel, type ModelFiles } from '@rl-playground/engine/parts';
import { createLocalPool } from '@rl-playground/engine/parts/tensors';
import { taskRowsOf } from '@rl-playground/run/data';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';
import { gsm8k } from '@rl-playground/tasks/parts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { readDataWords } from './dataWords.ts';

interface Row {
  readonly question: string;
  readonly answer: string;
}

const SMALL = {
  loraRank: 4,
  numSteps: 2,
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  maxTokens: 6,
  evalSamples: 2,
  evalEvery: 0,
  seed: Math.floor(Math.random() * 2 ** 32),
};
const CONFIG: RunConfig = {
  ...defaultConfig('gsm8k'),
  ...SMALL,
  loss: 'reinforce',
  // A model of random weights earns the same everywhere; a moving baseline makes that a signal.
  baseline: 'moving',
  learningRate: 3e-3,
  warmupSteps: 0,
};

/** The folder's model, whose 256 positions are fewer than a problem with a worked example takes. */
function withPositions(files: ModelFiles): ModelFiles {
  const config = async (): Promise<ReturnType<typeof openBytes>> => {
    const file = await files.open('config.json');
    const json: unknown = JSON.parse(new TextDecoder().decode(await file?.read(0, file.size)));
    return openBytes(jsonBytes(Object.assign({}, json, { max_position_embeddings: 4096 })));
  };
  return { ...files, open: (name) => (name === 'config.json' ? config() : files.open(name)) };
}

/** 40 of GSM8K's own rows to learn from and 10 to be tested by, in files; the answers by question. */
async function givenRows(
  shared: string,
  config: RunConfig,
): Promise<ReadonlyMap<string, string | undefined>> {
  const lines = readFileSync(join(shared, 'gsm8k/test.jsonl'), 'utf8').split('\n').slice(0, 50);
  const folder = mkdtempSync(join(tmpdir(), 'gsm8k-'));
  const [train, test] = ['train.jsonl', 'test.jsonl'].map((name) => join(folder, name));
  writeFileSync(train ?? '', lines.slice(0, 40).join('\n'));
  writeFileSync(test ?? '', lines.slice(40).join('\n'));
  await readDataWords({ data: [train ?? '', test ?? ''] }, config, {});
  rmSync(folder, { recursive: true });
  return new Map(
    lines.map((line) => {
      const { question, answer } = JSON.parse(line) as Row;
      return [question.trim(), answer.split('#### ')[1]?.replaceAll(',', '')] as const;
    }),
  );
}

async function opened(shared: string, config: RunConfig): Promise<{ model: LoadedModel; session: Session }> {
  await startBackendInNode();
  const model = await loadModel(withPositions(filesInFolder(join(shared, 'hf/smollm2'))));
  const session = await Session.open(
    config,
    { ...freshStart(model), ...taskRowsOf(config) },
    {
      createPool: (made, { generatorPrecision }) => createLocalPool(made, generatorPrecision),
      now: () => performance.now(),
    },
  );
  return { model, session };
}

const FIRST_EXAMPLE = 'A bag holds 4 red marbles';

describeShared('GSM8K', 'refdata', (shared) => {
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
  });
  afterEach(() => vi.restoreAllMocks());

  it(`is asked, scored and learned from (seed ${CONFIG.seed})`, async () => {
    const rows = await givenRows(shared, CONFIG);
    const { model, session } = await opened(shared, CONFIG);
    for (let step = 0; step < 2; step++) {
      const rollouts = await session.trainStep({});
      expect(rollouts).toHaveLength(4);
      for (const { question, problem, promptIds, reward } of rollouts) {
        const asked = [...rows.keys()].find((each) => question.startsWith(each)) ?? '';
        expect(question).toBe(`${asked} Put your final answer inside \\boxed{}.`);
        expect(problem.answer).toBe(rows.get(asked));
        expect(model.tokenizer.decode(promptIds)).toContain(question);
        expect(Number.isFinite(reward.total)).toBe(true);
      }
    }
    const { adapter, metrics, taskRows } = await session.parts();
    session.dispose();
    expect(metrics.map(({ gradNorm }) => (gradNorm ?? 0) > 0)).toEqual([true, true]);
    const factors = [...(adapter?.arrays ?? [])].filter(([name]) => name.includes('lora_B'));
    expect(factors.some(([, { data }]) => data.some((value) => value !== 0))).toBe(true);
    expect(taskRows?.[0]).toMatchObject({ task: 'gsm8k', train: { length: 40 }, test: { length: 10 } });
  });

  it('is asked under Tinker’s preset: worked example, −0.1 without the form, advantages over the mean of a group', async () => {
    const config: RunConfig = { ...defaultConfig('gsm8k', 'tinker-rl-basic'), ...SMALL };
    expect(config).toMatchObject({ loss: 'importance_sampling', baseline: 'group', advantageScale: 'none' });
    await givenRows(shared, config);
    const { model, session } = await opened(shared, config);
    const paid: number[] = [];
    const score = gsm8k.score.bind(gsm8k);
    // Random weights never earn anything but −0.1: every other answer is paid 1 more, in place of a model that is sometimes right.
    vi.spyOn(gsm8k, 'score').mockImplementation((...given) => {
      const reward = score(...given);
      paid.push(reward.total);
      return { ...reward, total: reward.total + (paid.length % 2) };
    });
    const rollouts = await session.trainStep({});
    const { adapter, metrics } = await session.parts();
    session.dispose();
    expect(paid.every((total) => total === -0.1)).toBe(true);
    for (const { promptIds } of rollouts) expect(model.tokenizer.decode(promptIds)).toContain(FIRST_EXAMPLE);
    expect(rollouts.map(({ advantage }) => Math.abs(advantage))).toEqual([0.5, 0.5, 0.5, 0.5]);
    // q is p where the weights are those that sampled: the loss is −Σ A over all tokens, and nothing of the ratio is left.
    const sum = rollouts.reduce((total, { advantage, tokens }) => total - advantage * tokens.length, 0);
    expect(metrics[0]?.loss).toBeCloseTo(sum, 3);
    expect(metrics[0]?.gradNorm).toBeGreaterThan(0);
    expect([...(adapter?.arrays ?? [])].some(([name]) => name.includes('lm_head'))).toBe(true);
  });
});
