/** The training loop with scripted answers: rewards, advantages, baselines and metrics can be worked out by hand. */
import { describe, expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { arithmetic, reverseDigits } from '@rl-playground/tasks/parts';
import { CLAIMED_LOGPROB, type Script } from '@rl-playground/engine/testing/scriptedPool';
import { withLoop } from '../testing/scriptedLoop.ts';
import type { LoopState } from './loop.ts';
import type { LoopProgress } from './learn.ts';

const SMALL = { problemsPerStep: 3, rolloutsPerProblem: 2, maxTokens: 48, numSteps: 10, warmupSteps: 1 };
const GRPO: RunConfig = {
  ...defaultConfig('reverse_digits'),
  ...SMALL,
  taskConfig: {},
  learningRate: 0.5,
  seed: 4,
};

const problemAt = (config: RunConfig, step: number, count: number, index: number) =>
  reverseDigits.generate(config.seed, 'train', (step - 1) * count + index, reverseDigits.defaults);

/** Group 0: right and tagged, wrong. Group 1: right without the tag, right and tagged. Group 2: twice right and tagged. */
const mixedScript: Script = ({ problem, step }, sample) => {
  const { answer } = problemAt(GRPO, step, 3, problem);
  const tagged = `[ANSWER] ${answer}`;
  return (
    [
      [tagged, '[ANSWER] 1'],
      [`Answer: ${answer}`, tagged],
      [tagged, tagged],
    ][problem]?.[sample] ?? null
  );
};

describe('a GRPO step', () => {
  test('scores, centres within groups and reports what can be counted by hand', async () => {
    await withLoop(GRPO, mixedScript, async ({ loop, pool, engine }) => {
      await engine.publish();
      const { metrics, rollouts } = await loop.step();
      // A right answer without the tag earns −1 under tag_required.
      expect(rollouts.map(({ reward }) => reward.total)).toEqual([1, -1, -1, 1, 1, 1]);
      expect(rollouts.map(({ advantage }) => advantage)).toEqual([1, -1, -1, 1, 0, 0]);
      const tokens = rollouts.map((rollout) => rollout.tokens.length);
      const total = tokens.reduce((sum, count) => sum + count, 0);
      expect(metrics).toMatchObject({
        step: 1,
        reward: 1 / 3,
        accuracy: 5 / 6,
        format: 5 / 6,
        fracMixed: 2 / 3,
        completionTokens: total,
        meanLength: total / 6,
        truncated: 0,
        baseline: null,
        policyVersion: 1,
        learningRate: 0.25,
        kl: 0,
      });
      expect(metrics.rewardStd).toBeCloseTo(Math.sqrt((4 * (2 / 3) ** 2 + 2 * (4 / 3) ** 2) / 5), 12);
      expect(metrics.seconds).toBeGreaterThan(
        metrics.secondsRollout + (metrics.secondsReward ?? NaN) + metrics.secondsTrain + metrics.secondsSync,
      );
      expect(metrics.gradNorm).toBeGreaterThan(0);
      expect(pool.versions).toEqual([0, 1]);
      expect(loop.state).toMatchObject({ step: 1, position: { next: 3, again: [] } });
    });
  });

  test('which answers are compared with the reference changes figures of KL and nothing else', async () => {
    const script: Script = ({ problem, step }, sample) =>
      `[ANSWER] ${sample === 0 ? problemAt(GRPO, step, 12, problem).answer : 12345}`;
    const run = (klMeasuredShare: number) =>
      withLoop({ ...GRPO, problemsPerStep: 12, klMeasuredShare }, script, async ({ loop, policy }) => {
        await loop.step();
        const { metrics, rollouts } = await loop.step();
        return { metrics, rollouts, weights: await policy.trainable.pack() };
      });
    const [all, some] = [await run(1), await run(0.01)];
    const chosen = some.rollouts.filter(({ referenceWeight }) => referenceWeight > 0);
    expect(chosen).toHaveLength(16);
    for (const { trained, index, tokens } of chosen) {
      const same = all.rollouts.find(
        (rollout) => rollout.index === index && rollout.tokens.join() === tokens.join(),
      );
      expect(trained?.referenceLogprobs).toEqual(same?.trained?.referenceLogprobs);
    }
    const { kl, klK1, klK2, klPolicyBase } = some.metrics;
    expect(kl).toBeGreaterThan(0);
    expect({ ...all.metrics, kl, klK1, klK2, klPolicyBase }).toEqual(some.metrics);
    expect(some.weights).toEqual(all.weights);
  });

  test('measures KL from the second step on, and the gap of sampler and trainer as log q − log p', async () => {
    await withLoop(GRPO, mixedScript, async ({ loop, policy }) => {
      const { metrics, rollouts } = await loop.step();
      expect(policy.config.vocabSize).toBeGreaterThan(20);
      // An untrained model is near uniform: its mean log p is about −log V, the claimed log q is −1.
      const { klSampleTrainV1: v1, klSampleTrainV2: v2 } = metrics;
      const gap = CLAIMED_LOGPROB + Math.log(policy.config.vocabSize);
      expect(Math.abs((v1 ?? NaN) - gap)).toBeLessThan(1);
      expect(v2).toBeGreaterThan(0.5 * (v1 ?? NaN) ** 2);
      expect(metrics.entropy).toBeLessThan(Math.log(policy.config.vocabSize));
      expect(rollouts[0]?.question).toBe(problemAt(GRPO, 1, 3, 0).compact);
      expect((await loop.step()).metrics.kl).toBeGreaterThan(0);
    });
  });

  test('never asks the same problem twice and names every draw by step and problem', async () => {
    await withLoop(GRPO, mixedScript, async ({ loop, pool }) => {
      for (let step = 1; step <= 3; step++) await loop.step();
      const all = pool.asked.flatMap(({ requests }) => requests);
      expect(all.map(({ step, problem, seed, samples }) => [step, problem, seed, samples])).toEqual(
        [1, 2, 3].flatMap((step) => [0, 1, 2].map((problem) => [step, problem, 4, 2])),
      );
      expect(new Set(all.map(({ promptIds }) => promptIds.join())).size).toBe(9);
    });
  });

  test('goes on from a state: next step, next version, its baseline', async () => {
    const resumed: LoopState = {
      step: 6,
      baseline: 0.25,
      curriculum: null,
      position: { next: 18, again: [] },
      totalTokens: 100,
      rolloutErrors: 0,
      groupsSkipped: 0,
    };
    await withLoop(
      { ...GRPO, loss: 'reinforce', baseline: 'moving' },
      mixedScript,
      async ({ loop, pool, engine }) => {
        await engine.publish();
        const { metrics, rollouts } = await loop.step();
        expect(metrics).toMatchObject({ step: 7, policyVersion: 10, baseline: 0.25 });
        expect(rollouts[0]?.problem).toEqual(problemAt(GRPO, 7, 3, 0));
        expect(rollouts[0]?.advantage).toBe(0.75);
        expect(pool.versions).toEqual([9, 10]);
      },
      resumed,
      9,
    );
  });

  test('goes on where an early stop by KL kept answers from every update', async () => {
    // Claimed log-probabilities are far above those of an untrained model, so the second of three updates is left out.
    const config: RunConfig = { ...GRPO, numSubsteps: 3, targetKl: 0.01 };
    await withLoop(config, mixedScript, async ({ loop }) => {
      const { metrics, rollouts } = await loop.step();
      expect(metrics).toMatchObject({ updates: 1, updatesSkipped: 2, completions: 6 });
      expect(rollouts.map(({ trained }) => trained !== null)).toEqual([true, true, true, true, false, false]);
      expect(metrics.klSampleTrainV1).toBeGreaterThan(0.01);
    });
  });

  test('counts cut answers', async () => {
    const config = { ...GRPO, maxTokens: 4 };
    await withLoop(
      config,
      (_, sample) => (sample === 0 ? '1' : '1 2 3 4 5'),
      async ({ loop }) => {
        const { metrics } = await loop.step();
        expect(metrics).toMatchObject({ truncated: 0.5, completionTokens: 3 * (2 + 4), meanLength: 3 });
      },
    );
  });

  test('a group that fails is left out; groups that lost one answer are centred on the rest', async () => {
    const script: Script = (request, sample, sampling) => {
      if (request.problem === 1) return null;
      return request.problem === 0 && sample === 0 ? null : mixedScript(request, sample, sampling);
    };
    await withLoop(GRPO, script, async ({ loop }) => {
      const { metrics, rollouts } = await loop.step();
      expect(rollouts.map(({ reward, advantage }) => [reward.total, advantage])).toEqual([
        [-1, 0],
        [1, 0],
        [1, 0],
      ]);
      const broke = { rolloutErrors: 3, groupsSkipped: 1 };
      expect(metrics).toMatchObject({ reward: 1 / 3, fracMixed: 0, loss: 0, gradNorm: 0, ...broke });
      expect(loop.state).toMatchObject(broke);
    });
  });

  test('under a curriculum asks what is new at the level of now, and what is asked again at that of the first time', async () => {
    const config: RunConfig = {
      ...defaultConfig('tinker_arithmetic'),
      ...SMALL,
      seed: 4,
      curriculum: 'success',
    };
    const state: LoopState = {
      step: 2,
      baseline: 0,
      curriculum: [{ level: 4, recent: [] }],
      position: { next: 6, again: [{ index: 1, attempt: 1, level: 0 }] },
      totalTokens: 0,
      rolloutErrors: 0,
      groupsSkipped: 0,
    };
    const at = (index: number, level: number) =>
      arithmetic.generate(4, 'train', index, { ...arithmetic.defaults, ...arithmetic.levels[level] });
    await withLoop(
      config,
      () => '[ANSWER] 1',
      async ({ loop, engine }) => {
        await engine.publish();
        const { rollouts } = await loop.step();
        const asked = rollouts.filter((_, i) => i % 2 === 0).map(({ problem }) => problem);
        expect(asked).toEqual([at(1, 0), at(6, 4), at(7, 4)]);
        expect(at(1, 0)).not.toEqual(at(1, 4));
      },
      state,
    );
  });

  test('where nothing could be sampled the step fails with the reason and changes nothing', async () => {
    await withLoop(
      GRPO,
      () => null,
      async ({ loop, policy }) => {
        const before = await policy.pool.pack();
        await expect(loop.step()).rejects.toThrow('No answer could be sampled: out of order');
        expect(await policy.pool.pack()).toEqual(before);
        expect(loop.state).toEqual({
          step: 0,
          baseline: GRPO.movingBaselineStart,
          curriculum: null,
          position: { next: 0, again: [] },
          totalTokens: 0,
          rolloutErrors: 0,
          groupsSkipped: 0,
        });
      },
    );
  });

  test('tells its progress: sampling, training with all tokens done at the end, handing over', async () => {
    await withLoop(GRPO, mixedScript, async ({ loop }) => {
      const seen: LoopProgress[] = [];
      await loop.step({ onProgress: (progress) => seen.push(progress) });
      const training = seen.filter(({ activity }) => activity === 'training');
      expect(training[0]?.done).toBe(0);
      expect(training.at(-1)?.done).toBe(training.at(-1)?.total);
      expect(seen.at(-1)?.activity).toBe('handing weights over');
    });
  });
});

describe('a streamed step of several updates', () => {
  const STREAM: RunConfig = { ...GRPO, schedule: 'stream', numSubsteps: 3, numMinibatches: 1 };

  test('aborted behind its first update, it goes on to its end', async () => {
    await withLoop(STREAM, mixedScript, async ({ loop, engine }) => {
      const stop = new AbortController();
      const optimStep = engine.optimStep.bind(engine);
      engine.optimStep = async (...given) => {
        stop.abort(new Error('Paused.'));
        return optimStep(...given);
      };
      const { metrics, rollouts } = await loop.step({ signal: stop.signal });
      expect(metrics).toMatchObject({ step: 1, policyVersion: 1, updates: 3 });
      expect(rollouts).toHaveLength(6);
    });
  });

  test('aborted before it, nothing has changed', async () => {
    await withLoop(STREAM, mixedScript, async ({ loop, engine, policy }) => {
      const before = await policy.pool.pack();
      const stop = new AbortController();
      const forwardBackward = engine.forwardBackward.bind(engine);
      engine.forwardBackward = async (...given) => {
        stop.abort(new Error('Paused.'));
        return forwardBackward(...given);
      };
      await expect(loop.step({ signal: stop.signal })).rejects.toThrow('Paused.');
      expect(await policy.pool.pack()).toEqual(before);
      expect(loop.state).toMatchObject({ step: 0, position: { next: 0, again: [] } });
    });
  });
});

describe('the Monarch preset', () => {
  test('one problem and one answer per generator, against a baseline that moves after its use', async () => {
    const config: RunConfig = {
      ...defaultConfig('reverse_digits', 'monarch-digits'),
      seed: 4,
      maxTokens: 48,
    };
    // Step 1: right and wrong. Step 2: both right.
    const script: Script = ({ step, problem }) =>
      step === 1 && problem === 1 ? '[ANSWER] 1' : `[ANSWER] ${problemAt(config, step, 2, problem).answer}`;
    await withLoop(config, script, async ({ loop }) => {
      const first = await loop.step();
      expect(first.rollouts.map(({ advantage }) => advantage)).toEqual([0.5, -1.5]);
      expect(first.metrics).toMatchObject({ baseline: 0.5, reward: 0, fracMixed: 0, learningRate: 5e-6 });
      const second = await loop.step();
      expect(second.metrics.baseline).toBeCloseTo(0.45, 12);
      second.rollouts.forEach(({ advantage }) => expect(advantage).toBeCloseTo(0.55, 12));
      expect(loop.state.baseline).toBeCloseTo(0.9 * 0.45 + 0.1, 12);
    });
  });

  test('more generators bring more problems', async () => {
    const config = { ...defaultConfig('reverse_digits', 'monarch-digits'), numGenerators: 5 };
    await withLoop(
      config,
      () => '1',
      async ({ loop, pool }) => {
        expect((await loop.step()).rollouts).toHaveLength(5);
        expect(pool.asked[0]?.requests.map(({ samples }) => samples)).toEqual([1, 1, 1, 1, 1]);
      },
    );
  });
});

test('evaluations ask the tasks that are named for them, and training the others', async () => {
  const { answer } = arithmetic.generate(0, 'eval', 0, arithmetic.defaults);
  const evalMixture = [{ task: 'tinker_arithmetic', weight: 1, config: {} }];
  await withLoop(
    { ...GRPO, evalSamples: 2, evalMixture },
    ({ problem }) => (problem === 0 ? answer : 'x'),
    async ({ loop }) => {
      const { samples, accuracy } = await loop.evaluate({ passAtK: false });
      expect(samples.map(({ task }) => task)).toEqual(['tinker_arithmetic', 'tinker_arithmetic']);
      expect(accuracy).toBe(0.5);
      const { rollouts } = await loop.step({});
      expect(new Set(rollouts.map(({ problem }) => problem.task))).toEqual(new Set(['reverse_digits']));
    },
  );
});
