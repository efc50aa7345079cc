/** The terms of single tokens sum to the loss that the step has logged, under every loss. */
import { beforeAll, expect, test } from 'vitest';
import { CISPO_CAP, LOSSES, type LossName, loadModel, type LoadedModel } from '@rl-playground/engine/parts';
import { startBackend, LOCAL_ENVIRONMENT } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { tokenTerms } from './tokenTerms.ts';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { recordedRollout } from '../records/rolloutRecord.ts';
import { Session } from '../session/session.ts';
import { freshStart } from '../session/sessionStart.ts';

let model: LoadedModel;

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  // Answers of random weights would all earn the same.
  model = await loadModel(starterInNode());
});

const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  lossReduction: 'auto',
  klBeta: 0.1,
  learningRate: 1e-3,
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 40,
  klReference: 'start',
  seed: 11,
};

const CASES: readonly (readonly [name: string, settings: Partial<RunConfig>])[] = [
  ...(Object.keys(LOSSES) as LossName[]).map((loss) => [loss, { loss }] as const),
  ['an entropy bonus', { loss: 'grpo', entropyCoef: 0.05 }],
];

test.each(CASES)('%s', async (_, { loss = 'grpo', ...settings }) => {
  const config = { ...CONFIG, ...settings, loss, clipHigh: loss === 'cispo' ? CISPO_CAP : CONFIG.clipHigh };
  const session = await Session.open(config, freshStart(model), LOCAL_ENVIRONMENT);
  try {
    await session.trainStep({});
    const rollouts = await session.trainStep({});
    const logged = session.metrics.at(-1)?.['loss'] ?? NaN;
    const terms = await tokenTerms(rollouts, config);
    const added = terms.flatMap((each) => each?.added ?? []);
    if (settings.entropyCoef !== undefined)
      expect(terms.every((each) => each === null || each.entropy.every((bonus) => bonus < 0))).toBe(true);
    const sum = added.reduce((all, term) => all + term, 0);
    // The device adds in f32, and so its sum is off by rounding of what it adds.
    const size = added.reduce((all, term) => all + Math.abs(term), 0);
    expect(rollouts.some(({ advantage }) => advantage !== 0)).toBe(true);
    expect(terms.some((each) => each !== null)).toBe(true);
    expect(Math.abs(sum - logged)).toBeLessThan(1e-6 * Math.max(1, size));
  } finally {
    session.dispose();
  }
});

test('a line of rollouts.jsonl has the numbers that its weights give again, and the loss that was logged', async () => {
  const session = await Session.open(CONFIG, freshStart(model), LOCAL_ENVIRONMENT);
  try {
    await session.trainStep({});
    const before = (await session.parts()).model;
    await session.trainStep({});
    const lines = (await session.log.linesOf(2))?.trimEnd().split('\n') ?? [];
    const answers = lines.map((line) => recordedRollout(JSON.parse(line)));
    const again = await Session.open(CONFIG, freshStart(before), LOCAL_ENVIRONMENT);
    const { temperature } = CONFIG;
    const found = await again.engine.computeLogprobs(answers, 'policy', { temperature });
    again.dispose();
    let compared = 0;
    for (const [i, { trained }] of answers.entries())
      for (const [t, logprob] of Array.from(trained?.logprobs ?? []).entries()) {
        expect(Math.abs(logprob - (found.logprobs[i]?.[t] ?? NaN))).toBeLessThan(1e-5);
        expect(Math.abs((trained?.entropies[t] ?? NaN) - (found.entropies[i]?.[t] ?? NaN))).toBeLessThan(
          1e-5,
        );
        compared++;
      }
    expect(compared).toBeGreaterThan(50);
    const terms = await tokenTerms(answers, CONFIG);
    const added = terms.flatMap((each) => each?.added ?? []);
    const size = added.reduce((all, term) => all + Math.abs(term), 0);
    const sum = added.reduce((all, term) => all + term, 0);
    const logged = session.metrics.at(-1)?.['loss'] ?? NaN;
    expect(Math.abs(sum - logged)).toBeLessThan(1e-6 * Math.max(1, size));
  } finally {
    session.dispose();
  }
});
