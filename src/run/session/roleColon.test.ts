/** A run on a base model: asked in paragraphs, stopped where it begins to speak for the user. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type LoadedModel, widened, type EngineEnvironment } from '@rl-playground/engine/parts';
import { startBackend, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { bigramModel } from '@rl-playground/engine/testing/bigramModel';
import { BYTE_LEVEL_TOKENS } from '@rl-playground/engine/testing/smallTokenizers';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { timeless } from '../metrics/metrics.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';

let model: LoadedModel;
beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  // "Assistant:" is followed by a space and digits, which a turn of the user ends now and then.
  model = await bigramModel([
    [':', 'Ġ', 8],
    ...Array.from('0123456789', (digit) => ['Ġ', digit, 6] as const),
    ...Array.from('0123456789', (digit) => [digit, 'ĊĊ', 6] as const),
    ['ĊĊ', 'User', 7],
    ['User', ':', 7],
  ]);
});

const CONFIG: RunConfig = {
  ...defaultConfig('sum_digits'),
  loss: 'reinforce',
  baseline: 'moving',
  advantageScale: 'none',
  problemsPerStep: 3,
  rolloutsPerProblem: 4,
  maxTokens: 12,
  numSteps: 4,
  evalSamples: 4,
  learningRate: 1e-3,
  numGenerators: 1,
};
const ENVIRONMENT: EngineEnvironment = {
  createPool: (generatorModel) => createLocalPool(generatorModel),
  now: () => 0,
};

const written = (tokens: readonly number[]): string =>
  tokens.map((token) => BYTE_LEVEL_TOKENS[token]).join(' ');

describe('a run on a base model', () => {
  test('keeps the tokens of the delimiter in the rollout and out of the text', async () => {
    const session = await Session.open(CONFIG, freshStart(model), ENVIRONMENT);
    const rollouts = await session.trainStep({});
    const stopped = rollouts.filter(({ stopReason }) => stopReason === 'stop');
    expect(stopped.length).toBeGreaterThan(0);
    for (const { tokens, logprobs, text, promptIds } of stopped) {
      expect(written(promptIds)).toMatch(/^<\|endoftext\|> .* ĊĊ Assistant :$/u);
      expect(written(tokens)).toMatch(/ĊĊ User :Ġ?$/u);
      expect(logprobs).toHaveLength(tokens.length);
      expect(text).not.toMatch(/User:|^\s|\s$/u);
      expect(text).toBe(model.tokenizer.decode(tokens).split('\n\nUser:')[0]?.trim());
    }
    await session.evaluate({});
    expect(session.evaluations[0]?.samples.some(({ text }) => text.includes('User:'))).toBe(false);
    session.dispose();
  });

  test('stopped, saved and resumed equals one never stopped, to the bit', async () => {
    const weightsAfter = async (session: Session, steps: number) => {
      for (let i = 0; i < steps; i++) await session.trainStep({});
      const { model: trained, metrics } = await session.parts();
      session.dispose();
      return { weights: await widened(trained.weights), metrics: timeless(metrics) };
    };
    const whole = await weightsAfter(await Session.open(CONFIG, freshStart(model), ENVIRONMENT), 2);
    const before = await Session.open(CONFIG, freshStart(model), ENVIRONMENT);
    await before.trainStep({});
    const zip = await writeCheckpoint(await before.parts());
    before.dispose();
    const parts = await readZippedCheckpoint(zip);
    const resumed = await Session.open(parts.runConfig ?? CONFIG, parts, ENVIRONMENT);
    expect(await weightsAfter(resumed, 1)).toEqual(whole);
  });

  test('can’t be asked by a chat template that the model lacks', async () => {
    const refused = Session.open({ ...CONFIG, renderer: 'chat_template' }, freshStart(model), ENVIRONMENT);
    await expect(refused).rejects.toThrow('no chat template');
  });
});
