/** GSM8K's own rows, given as files, asked of a model with a tokenizer and template of the Hugging Face libraries: two steps. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { jsonBytes } from '../src/base/json.ts';
import { defaultConfig } from '../src/config/presets.ts';
import type { RunConfig } from '../src/config/schema.ts';
import { filesInFolder } from '../src/hub/filesInNode.ts';
import { loadModel } from '../src/hub/load.ts';
import { openBytes } from '../src/hub/openFiles.ts';
import type { LoadedModel, ModelFiles } from '../src/hub/types.ts';
import { createLocalPool } from '../src/rollout/localPool.ts';
import { taskRowsOf } from '../src/run/data/taskRows.ts';
import { freshStart, Session } from '../src/run/session.ts';
import { describeShared } from '../src/testing/shared.ts';
import { readDataWords } from './dataWords.ts';
import '../src/kernels/index.ts';

interface Row {
  readonly question: string;
  readonly answer: string;
}

const CONFIG: RunConfig = {
  ...defaultConfig('gsm8k'),
  loraRank: 4,
  loss: 'reinforce',
  // A model of random weights earns the same everywhere; a moving baseline makes that a signal.
  baseline: 'moving',
  learningRate: 3e-3,
  warmupSteps: 0,
  numSteps: 2,
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  maxTokens: 6,
  evalSamples: 2,
  evalEvery: 0,
  seed: Math.floor(Math.random() * 2 ** 32),
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

describeShared('GSM8K', 'refdata', (shared) => {
  it(`is asked, scored and learned from (seed ${CONFIG.seed})`, async () => {
    await startBackendInNode();
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const lines = readFileSync(join(shared, 'gsm8k/test.jsonl'), 'utf8').split('\n').slice(0, 50);
    const rows = new Map(
      lines.map((line) => {
        const { question, answer } = JSON.parse(line) as Row;
        return [question.trim(), answer.split('#### ')[1]?.replaceAll(',', '')] as const;
      }),
    );
    const folder = mkdtempSync(join(tmpdir(), 'gsm8k-'));
    const [train, test] = ['train.jsonl', 'test.jsonl'].map((name) => join(folder, name));
    writeFileSync(train ?? '', lines.slice(0, 40).join('\n'));
    writeFileSync(test ?? '', lines.slice(40).join('\n'));
    await readDataWords({ data: [train ?? '', test ?? ''] }, CONFIG, {});
    rmSync(folder, { recursive: true });

    const model: LoadedModel = await loadModel(withPositions(filesInFolder(join(shared, 'hf/smollm2'))));
    const session = await Session.open(
      CONFIG,
      { ...freshStart(model), ...taskRowsOf(CONFIG) },
      {
        createPool: (made, { generatorPrecision }) => createLocalPool(made, generatorPrecision),
        now: () => performance.now(),
      },
    );
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
});
