/** Answers for which an own program fails, left out of their group and of the update; advantages are worked out by hand. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  customTask,
  GRADER_DEFAULTS,
  rewardOf,
  setCustomTasks,
  type ScoreProgram,
} from '@rl-playground/tasks/parts';
import type { Script } from '@rl-playground/engine/testing/scriptedPool';
import { metricsFromRecord, metricsRecord } from '../records/metricsLog.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { advantagesOf, saying, sayingAlways, SCRIPTED_CONFIG, withLoop } from '../testing/scriptedLoop.ts';
import { ProgramFailing } from './scoring.ts';

const rows = Array.from({ length: 60 }, (_, i) => ({ question: `${i}+0`, answer: `${i}` }));

/** An answer earns the digit that it says; the program throws for any other. */
const program: ScoreProgram = (_, items) =>
  Promise.resolve(
    items.map(({ completion: { text } }) => {
      if (!/^\d$/.test(text)) return rewardOf({ error: `${text} is no digit`, logs: [] });
      const total = Number(text);
      const scored = { total, parts: { said: total }, correct: total === 1, format: true, reason: '' };
      return rewardOf({ scored: { ...scored, extracted: text }, logs: [] });
    }),
  );

function offer(leaveOutFailures: boolean): void {
  const grader = { ...GRADER_DEFAULTS.code, source: 'x', leaveOutFailures };
  setCustomTasks([customTask({ name: 'said', rows, grader, system: '' }, program)]);
}
afterEach(() => setCustomTasks([]));

const CONFIG: RunConfig = {
  ...SCRIPTED_CONFIG,
  task: 'own:said',
  taskConfig: {},
  numSubsteps: 1,
  numMinibatches: 2,
};

const SOME = saying(['1', '10', '0', '1'], ['10', '10', '10', '10']);

describe('an answer for which the program fails', () => {
  test('earns 0 by default, which pushes the others of its group up', async () => {
    offer(false);
    await withLoop(CONFIG, SOME, async ({ loop, engine }) => {
      await engine.publish();
      const { metrics, rollouts } = await loop.step();
      // The mean of 1, 0, 0, 1 is 1/2.
      expect(advantagesOf(rollouts)).toEqual([0.5, -0.5, -0.5, 0.5, 0, 0, 0, 0]);
      expect(metrics).toMatchObject({ reward: 2 / 8, completions: 8 });
      expect(metrics.leftOut).toBeUndefined();
      expect(metricsRecord(metrics)).not.toHaveProperty(['rollout_errors/left_out']);
    });
  });

  test.each(['sync', 'stream'] as const)(
    'counts neither in its group nor in the update where the task says so, under %s',
    async (schedule) => {
      offer(true);
      await withLoop({ ...CONFIG, schedule }, SOME, async ({ loop, engine }) => {
        await engine.publish();
        const { metrics, rollouts } = await loop.step();
        // The mean of 1, 0, 1 is 2/3. Nothing is left of the second group.
        expect(advantagesOf(rollouts)).toEqual([0.333333, 0, -0.666667, 0.333333, 0, 0, 0, 0]);
        expect(rollouts.map(({ text }) => text)).toEqual(['1', '10', '0', '1', '10', '10', '10', '10']);
        const trained = rollouts.filter((rollout) => rollout.trained !== null);
        expect(trained.map(({ text }) => text)).toEqual(['1', '0', '1']);
        expect(metrics).toMatchObject({
          reward: 2 / 3,
          accuracy: 2 / 3,
          fracMixed: 1,
          completions: 3,
          leftOut: 5,
          rolloutErrors: 0,
          groupsSkipped: 0,
        });
        const record = metricsRecord(metrics);
        expect(record).toMatchObject({ 'rollout_errors/left_out': 5 });
        expect(metricsFromRecord(record)).toEqual(metrics);
        const every = rollouts.reduce(
          (sum, { promptIds, tokens }) => sum + promptIds.length + tokens.length,
          0,
        );
        expect(loop.state.totalTokens).toBe(every);
      });
    },
  );

  test('moves the weights as if it had never been sampled', async () => {
    const weightsAfter = (script: Script, changes: Partial<RunConfig>) =>
      withLoop({ ...CONFIG, ...changes }, script, async ({ loop, engine, policy }) => {
        await engine.publish();
        await loop.step();
        return policy.pool.pack();
      });
    offer(true);
    const left = await weightsAfter(SOME, {});
    // The same three answers, of a group in which the generator itself failed for one, beside a group that all failed for.
    const without = await weightsAfter(({ problem }, sample) => {
      return problem === 0 ? (['1', null, '0', '1'][sample] ?? null) : null;
    }, {});
    expect(left).toEqual(without);
    offer(false);
    expect(await weightsAfter(SOME, {})).not.toEqual(without);
  });

  test.each(['sync', 'stream'] as const)(
    'cancels the step where nothing else was answered, under %s',
    async (schedule) => {
      offer(true);
      const all = sayingAlways('10');
      await withLoop({ ...CONFIG, schedule }, all, async ({ loop, engine, policy }) => {
        await engine.publish();
        const before = await policy.pool.pack();
        const failing = loop.step();
        await expect(failing).rejects.toThrow(ProgramFailing);
        await expect(failing).rejects.toThrow(
          'failed for 8 answers in a row, so the step was cancelled. The last failure: 10 is no digit',
        );
        expect(loop.state.step).toBe(0);
        expect(await policy.pool.pack()).toEqual(before);
      });
    },
  );
});
