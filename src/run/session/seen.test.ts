/** The numbers that the page draws of an update are held against the engine itself, on a run that has moved away from its start. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { breatheIfDue, LOSSES, loadModel, weightsOfWhole, type LossName } from '@rl-playground/engine/parts';
import {
  gradientAt,
  LOCAL_ENVIRONMENT,
  PLAIN_LOSS,
  reinforce,
  startBackend,
  tf,
} from '@rl-playground/engine/parts/tensors';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { byBlock } from '../inspect/modelBlocks.ts';
import { LossView, type LossAnswer } from '../inspect/terms.ts';
import { lossOptions } from '../loop/lossOptions.ts';
import type { Rollout } from '../rollouts/rollout.ts';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { gradientSeen } from './gradientSeen.ts';
import { Session } from './session.ts';
import { freshStart } from './sessionStart.ts';
import { updateSeen } from './updateSeen.ts';

const STEPS = 15;
const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  clipMeaning: 'ratio_bounds',
  clipLow: 0.8,
  clipHigh: 1.2,
  lossReduction: 'auto',
  numSteps: 60,
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  maxTokens: 24,
  klBeta: 0.1,
  klReference: 'start',
  learningRate: 1e-3,
  seed: 5,
};

let session: Session;
/** The answers of the last step, which has groups of mixed rewards. */
let answers: readonly Rollout[] = [];

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  session = await Session.open(CONFIG, freshStart(await loadModel(starterInNode())), LOCAL_ENVIRONMENT);
  const isMixed = () => answers.some(({ advantage }) => advantage !== 0);
  while (session.step < STEPS || !isMixed()) answers = await session.trainStep({});
});
afterAll(() => session.dispose());

const withLoss = (loss: LossName): RunConfig => ({ ...CONFIG, loss });

/** The answers as the next update would see them, by the weights of now: p has moved away from p_old. */
async function seenNow(): Promise<LossAnswer[]> {
  const { temperature } = CONFIG;
  const { logprobs, entropies } = await session.engine.computeLogprobs(answers, 'policy', { temperature });
  return answers.map((answer, i) => ({
    ...answer,
    trained: answer.trained && {
      ...answer.trained,
      logprobs: logprobs[i] ?? [],
      oldLogprobs: answer.logprobs,
      entropies: entropies[i] ?? [],
    },
  }));
}

describe('a loss at single tokens', () => {
  test.each(Object.keys(LOSSES) as LossName[])(
    '%s gives the engine its loss and its gradient',
    async (loss) => {
      const config = withLoss(loss);
      const seen = await seenNow();
      const tensors = tf.memory().numTensors;
      const views = await Promise.all(seen.map((answer) => LossView.of(seen, answer, config)));
      expect(tf.memory().numTensors).toBe(tensors);
      const { tokenLoss, reduction, maxTokens, temperature } = lossOptions(config);
      const sequences = seen.map((answer) => ({
        ...answer,
        samplerLogprobs: answer.logprobs,
        referenceLogprobs: answer.trained?.referenceLogprobs,
        masked: answer.trained?.counted !== true,
      }));
      const gradientOf = async (
        given: typeof sequences,
        named: Parameters<Session['engine']['forwardBackward']>[1],
      ) => {
        const { loss: value } = await session.engine.forwardBackward(given, named, { temperature });
        const gradient = await session.engine.optimizer.gradients.tensor.data<'float32'>();
        session.engine.clearGradients();
        return { value, gradient };
      };
      const weightOf = weightsOfWhole(sequences, reduction, maxTokens);
      const engine = await gradientOf(sequences, { tokenLoss, weightOf });
      // ℓ = −w · g · log p has the gradient that the coefficients say.
      const advantages = (i: number): number[] =>
        (views[i]?.coefficients ?? []).map((each) => each * (views[i]?.terms.weight ?? 0));
      const shown = await gradientOf(
        sequences.map((sequence, i) => ({ ...sequence, advantages: advantages(i) })),
        { tokenLoss: reinforce, weightOf: () => 1 },
      );
      const largest = engine.gradient.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
      const furthest = engine.gradient.reduce(
        (most, each, i) => Math.max(most, Math.abs(each - (shown.gradient[i] ?? NaN))),
        0,
      );
      expect(largest).toBeGreaterThan(0);
      expect(furthest / largest).toBeLessThan(1e-4);
      const added = views.flatMap((view) => view?.terms.added ?? []);
      const size = added.reduce((sum, each) => sum + Math.abs(each), 0);
      expect(Math.abs(added.reduce((sum, each) => sum + each, 0) - engine.value)).toBeLessThan(1e-5 * size);
      // The value that is written as a formula is the one that was added, before its weight.
      views.forEach((view) =>
        view?.coefficients.forEach((_, t) => {
          const [line] = view.at(t, String);
          expect((line?.value ?? NaN) * view.terms.weight).toBeCloseTo(view.terms.added[t] ?? NaN, 6);
        }),
      );
    },
  );

  test('the ratios of these tokens have left 1', async () => {
    const [ratios] = [
      (await seenNow()).flatMap((answer) =>
        Array.from(answer.trained?.logprobs ?? [], (p, t) => p - (answer.logprobs[t] ?? NaN)),
      ),
    ];
    expect(Math.max(...ratios.map(Math.abs))).toBeGreaterThan(0.05);
  });

  test('over the ratio, the coefficient is that of the formula', async () => {
    const seen = await seenNow();
    const answer = seen.find(({ advantages, trained }) => trained !== null && (advantages[1] ?? 0) !== 0);
    if (answer === undefined) throw new Error('No answer has an advantage.');
    const A = answer.advantages[1] ?? NaN;
    const expected: Partial<Record<LossName, (ratio: number) => number>> = {
      reinforce: () => A,
      importance_sampling: (ratio) => ratio * A,
      grpo: (ratio) => ((A > 0 && ratio > 1.2) || (A < 0 && ratio < 0.8) ? 0 : ratio * A),
      cispo: (ratio) => Math.min(Math.max(ratio, 0.8), 1.2) * A,
      dro: (ratio) => A - PLAIN_LOSS.droBeta * Math.log(ratio),
    };
    for (const [loss, formula] of Object.entries(expected)) {
      const config = { ...withLoss(loss as LossName), klBeta: 0, droBeta: PLAIN_LOSS.droBeta };
      const curve = (await (await LossView.of(seen, answer, config))?.curve(1)) ?? [];
      expect(curve).toHaveLength(40);
      for (const { ratio, coefficient } of curve) {
        // At the very edge of the clip rounding decides.
        if (Math.min(Math.abs(ratio - 0.8), Math.abs(ratio - 1.2)) < 1e-6) continue;
        expect(coefficient, `${loss} at ${ratio}`).toBeCloseTo(formula(ratio), 4);
      }
    }
  });
});

describe('an update, seen', () => {
  const groupOf = (rollout: Rollout): Rollout[] => answers.filter(({ group }) => group === rollout.group);
  const written = (): Rollout => {
    const answer = answers.find(({ advantage, tokens }) => advantage !== 0 && tokens.length > 2);
    if (answer === undefined) throw new Error('No answer has an advantage.');
    return answer;
  };

  /** log p of every token of the vocabulary behind `before`, as the engine's own call says it. */
  const engineSays = async (before: readonly number[]): Promise<readonly number[]> => {
    const { engine } = session;
    const all = Array.from({ length: engine.policy.config.vocabSize }, (_, token) => ({
      promptIds: before,
      tokens: [token],
    }));
    const { logprobs } = await engine.computeLogprobs(all, 'policy', { temperature: CONFIG.temperature });
    return logprobs.map(([logprob = NaN]) => logprob);
  };

  test('has the probabilities of the engine before the step and after it', async () => {
    const answer = written();
    const group = groupOf(answer);
    const tensors = tf.memory().numTensors;
    const to = answer.tokens.length;
    const seen = await updateSeen(session, { group, answer: group.indexOf(answer), from: 1, to });
    expect(tf.memory().numTensors).toBe(tensors);
    expect(seen.kept).toEqual({ before: true, after: true });
    expect(seen.places).toHaveLength(to - 1);
    for (const [i, branches] of seen.places.entries()) {
      const sampled = branches.find(({ token }) => token === answer.tokens[i + 1]);
      // The sampler and the trainer's own forward pass have said the same before the update.
      expect(sampled?.before).toBeCloseTo(answer.logprobs[i + 1] ?? NaN, 4);
      expect(sampled?.before).toBeCloseTo(answer.trained?.logprobs[i + 1] ?? NaN, 4);
      expect(branches.length).toBeGreaterThanOrEqual(4);
    }
    group.forEach(({ logprobs }, i) => {
      const whole = logprobs.reduce((sum, logprob) => sum + logprob, 0);
      expect(seen.answers[i]?.before).toBeCloseTo(whole, 3);
    });
    // The weights after the last step are those of now.
    const isLast = answer.policyVersion + answer.policyAge + 1 === session.engine.version;
    expect(isLast).toBe(true);
    const now = await session.engine.computeLogprobs(group, 'policy', { temperature: CONFIG.temperature });
    for (const [i, logprobs] of now.logprobs.entries())
      expect(seen.answers[i]?.after).toBeCloseTo(
        logprobs.reduce((sum, each) => sum + each, 0),
        3,
      );
    const ofAnswer = now.logprobs[group.indexOf(answer)] ?? [];
    seen.moves.forEach((move, t) =>
      expect(move).toBeCloseTo((ofAnswer[t] ?? NaN) - (answer.logprobs[t] ?? NaN), 4),
    );
    expect(seen.moves).toHaveLength(to);
    for (const [i, branches] of seen.places.entries()) {
      const expected = await engineSays([...answer.promptIds, ...answer.tokens.slice(0, i + 1)]);
      for (const { token, after } of branches) expect(after).toBeCloseTo(expected[token] ?? NaN, 4);
      const likeliest = expected.indexOf(Math.max(...expected));
      expect(branches.map(({ token }) => token)).toContain(likeliest);
    }
  });

  test('moves the answers as their advantages say, and leaves out weights that are gone', async () => {
    const answer = written();
    const group = groupOf(answer);
    const question = { group, answer: group.indexOf(answer), from: 0, to: 1 };
    const { answers: moved } = await updateSeen(session, question);
    const gain = moved.reduce(
      (sum, { before, after }, i) => sum + (group[i]?.advantage ?? NaN) * (after - before),
      0,
    );
    expect(gain).toBeGreaterThan(0);
    const old = group.map((each) => ({ ...each, policyVersion: 999 }));
    const gone = await updateSeen(session, { ...question, group: old });
    expect(gone.kept).toEqual({ before: false, after: false });
    expect(gone.places[0]).toEqual([{ token: answer.tokens[0], before: NaN, after: NaN }]);
  });
});

describe('a gradient, seen', () => {
  test('has the norm that the run has logged, and changes nothing of the run', async () => {
    const { engine } = session;
    const state = async () => ({
      weights: await engine.policy.trainable.pack(),
      gradients: await engine.optimizer.gradients.pack(),
      optimizer: await engine.optimizer.state(),
    });
    const before = await state();
    const tensors = tf.memory().numTensors;
    const { norm } = await gradientSeen(session, answers);
    expect(tf.memory().numTensors).toBe(tensors);
    const logged = Number(session.metrics.at(-1)?.gradNorm);
    expect(logged).toBeGreaterThan(0);
    expect(Math.abs((norm ?? NaN) - logged) / logged).toBeLessThan(1e-4);
    expect(await state()).toEqual(before);
    const gone = answers.map((answer) => ({ ...answer, policyVersion: 999 }));
    expect(await gradientSeen(session, gone)).toEqual({ norm: null });
  });

  test('has the blocks of the gradient that the engine makes', async () => {
    const { engine } = session;
    const { temperature } = CONFIG;
    const sequences = (await seenNow()).map((answer) => ({
      ...answer,
      samplerLogprobs: answer.logprobs,
      referenceLogprobs: answer.trained?.referenceLogprobs,
    }));
    const loss = lossOptions(CONFIG);
    const { tokenLoss, reduction, maxTokens } = loss;
    const weightOf = weightsOfWhole(sequences, reduction, maxTokens);
    await engine.forwardBackward(sequences, { tokenLoss, weightOf }, { temperature });
    const gradients = engine.policy.trainable.unpackNamed(await engine.optimizer.gradients.pack());
    engine.clearGradients();
    const square = (data: Float32Array): number => data.reduce((sum, each) => sum + each * each, 0);
    const expected = byBlock([...gradients].map(([name, { data }]) => [name, square(data)] as const));
    const parts = { microBatchTokens: 4096, breathe: breatheIfDue };
    const found = byBlock(await gradientAt(engine.policy, sequences, loss, parts));
    expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [key, value] of expected)
      expect(Math.abs((found.get(key) ?? NaN) - value), `the block ${key}`).toBeLessThan(
        1e-4 * value + 1e-12,
      );
  });
});
