/** Every diagnosis on the recorded metrics of a real run that fails for its cause, and on runs that don't. */
import { describe, expect, it } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { mean } from '@rl-playground/base/statistics';
import { defaultConfig } from '../../settings/presets/presets.ts';
import type { RunConfig } from '../../settings/schema/schema.ts';
import { curedConfig, ZOO, zooConfig, type DiagnosisId } from '../../settings/zoo.ts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { stepMetricsWith } from '../../testing/stepMetrics.ts';
import type { EvalResult } from '../../loop/evaluate.ts';
import { metricsOf, type StepMetrics } from '../../metrics/metrics.ts';
import recorded from './fixtures/runs.json';
import { alarmHistory, diagnose, Watch } from './watch.ts';

const { keys } = recorded;
const rows: Readonly<Record<string, readonly (readonly (number | null)[])[]>> = recorded.runs;

/** @throws where no such run was recorded. */
function run(kind: string): StepMetrics[] {
  const steps = rows[kind];
  if (steps === undefined) throw new Error(`No run of ${kind} is recorded.`);
  return steps.map((row, i) =>
    metricsOf(i + 1, [], [], ({ key, optional }) => row[keys.indexOf(key)] ?? (optional ? null : 0)),
  );
}

const base = defaultConfig('reverse_digits');
const shown = (kind: string, config: RunConfig): (readonly [DiagnosisId, number])[] =>
  alarmHistory(run(kind), [], config).map(({ id, since }) => [id, since] as const);

describe('the alarms of a recorded run', () => {
  // The steps are what `npm run lab -- watch` shows of these runs; the requirement is 8 steps from the onset.
  const first: Readonly<Record<string, number>> = {
    'learning-rate': 5,
    entropy: 4,
    length: 9,
    keyword: 10,
    format: 10,
    'too-hard': 4,
    'cut-off': 2,
    stale: 5,
    kl: 6,
    'group-of-two': 4,
    mismatch: 2,
    epochs: 2,
  };

  it.each(ZOO)('$id is named by its cause', (recipe) => {
    const [alarm] = shown(recipe.id, zooConfig(recipe, 0));
    expect(alarm?.[0]).toBe(recipe.diagnosis);
    expect(alarm?.[1]).toBeLessThanOrEqual(first[recipe.id] ?? 0);
  });

  it.each([
    ['rate-idle', 'idle-rate', { learningRate: 1e-6 }],
    ['hot', 'too-hot', { temperature: 3 }],
    ['no-baseline', 'no-baseline', { loss: 'reinforce', baseline: 'none' }],
    ['weak', 'ruinous-rate', {}],
  ] as const)('%s is named %s', (kind, id, changes) => {
    expect(shown(kind, { ...base, ...changes }).map(([each]) => each)).toContain(id);
  });

  it.each([
    ['cured', {}],
    ['side-by-side', { schedule: 'async', maxStepsOffPolicy: 20 }],
  ] as const)('there is none in %s', (kind, changes) => {
    expect(shown(kind, { ...base, ...changes })).toEqual([]);
  });
});

describe('a diagnosis', () => {
  it('says what it saw with the numbers of the run', () => {
    const [found] = diagnose(run('entropy'), { ...base, temperature: 0.05 });
    const latest = run('entropy').slice(-4);
    const accuracy = latest.reduce((sum, step) => sum + step.accuracy, 0) / 4;
    expect(found?.seen).toContain(`${Math.round(100 * accuracy)}% of the sampled answers are right`);
  });

  it('names the form that the task asks for, whatever its tag', () => {
    const lost = diagnose(run('format'), { ...base, task: 'spell_backward' });
    expect(lost.map(({ id }) => id)).toContain('form-lost');
    for (const { seen, cause, cure } of lost) expect(`${seen}${cause}${cure.text}`).not.toContain('[ANSWER]');
  });

  it.each(ZOO)('of $id is cured by what its alarm advises or by what the zoo does', (recipe) => {
    const sick = zooConfig(recipe, 0);
    const found = diagnose(run(recipe.id), sick).find(({ id }) => id === recipe.diagnosis);
    const advised = found ? Object.keys(found.cure.changes) : [];
    // Easier problems are no one setting; all else that is advised is part of the recipe's cure.
    if (recipe.diagnosis === 'no-signal') expect(advised).toEqual([]);
    else expect(advised.some((key) => key in recipe.cureSettings)).toBe(true);
    expect(curedConfig(recipe, 0)).not.toEqual(sick);
  });

  it('advises a lower rate, not a higher temperature, where a rate is ruinous', () => {
    const [found] = diagnose(run('learning-rate').slice(0, 6), { ...base, learningRate: 1e-2 });
    expect(found?.cure.changes).toEqual({ learningRate: 1e-3 });
  });

  it('is of groups only where answers are compared with those of their group', () => {
    const ids = (changes: Partial<RunConfig>): DiagnosisId[] =>
      diagnose(run('group-of-two'), { ...base, rolloutsPerProblem: 2, ...changes }).map(({ id }) => id);
    expect(ids({})).toContain('few-answers');
    expect(ids({ loss: 'ppo', baseline: 'value' })).not.toContain('few-answers');
  });

  it('of entropy is of answers that are surely wrong, not of a run that has learned', () => {
    const at = (accuracy: number, fracMixed: number): DiagnosisId[] => {
      const step = stepMetricsWith({
        accuracy,
        reward: 3 * accuracy,
        format: 1,
        rewardStd: 0.5,
        rewardGroupStd: 0.2,
        fracMixed,
        entropy: 0.009,
        completions: 128,
        meanLength: 20,
      });
      return diagnose(
        Array.from({ length: 8 }, (_, i) => ({ ...step, step: i + 1 })),
        base,
      ).map(({ id }) => id);
    };
    // As sum_digits was at step 572 of its default run, seed 1; it ended at 0.93 greedily.
    expect(at(0.88, 0.31)).toEqual([]);
    expect(at(0.88, 0.1)).toContain('entropy-collapse');
    expect(at(0.5, 0.31)).toContain('entropy-collapse');
    expect(at(0.5, 0.5)).toEqual([]);
  });

  it('is none before the first step', () => {
    expect(diagnose([], base)).toEqual([]);
  });

  it('takes harder problems for no fall', () => {
    const at = (level: number, reward: number, step: number): StepMetrics =>
      stepMetricsWith({
        step,
        reward,
        accuracy: reward,
        format: 1,
        rewardStd: 0.3,
        rewardGroupStd: 0.3,
        fracMixed: 0.8,
        completions: 128,
        meanLength: 20,
        tasks: [{ task: 'a', reward, accuracy: reward, format: 1, n: 128, level }],
      });
    const steps = (level: number, reward: number, from: number): StepMetrics[] =>
      Array.from({ length: 8 }, (_, i) => at(level, reward, from + i));
    expect(diagnose([...steps(1, 0.9, 1), ...steps(2, 0.2, 9)], base)).toEqual([]);
    expect(diagnose([...steps(1, 0.9, 1), ...steps(1, 0.2, 9)], base).map(({ id }) => id)).toContain(
      'reward-fell',
    );
  });
});

describe('the watch', () => {
  const healthy = run('cured').slice(-8);
  const continued = (steps: readonly StepMetrics[]): StepMetrics[] =>
    steps.map((step, i) => ({ ...step, step: i + 1 }));

  it('takes a lucky stretch of a run that learned for no reward that pays something else', () => {
    const right = (step: number): number => {
      if (step <= 20) return 0.3 + 0.02 * step;
      return step > 60 && step <= 63 ? 0.76 : 0.7;
    };
    const steps = Array.from({ length: 120 }, (_, i) =>
      stepMetricsWith({
        step: i + 1,
        reward: 2 + 3 * right(i + 1),
        accuracy: right(i + 1),
        format: 1,
        rewardStd: 1.2,
        rewardGroupStd: 1.2,
        fracMixed: 0.8,
        completions: 256,
        meanLength: 40,
      }),
    );
    expect(diagnose(steps, base)).toEqual([]);
    // Under a reward that rises all the while a third of the right answers are lost.
    const paid = steps.map((step, i) => ({
      ...step,
      accuracy: (i < 80 ? 1 : 2 / 3) * step.accuracy,
      reward: 2 + 0.03 * i,
    }));
    expect(diagnose(paid, base).map(({ id }) => id)).toEqual(['paid-for-something-else', 'reward-fell']);
  });

  it('ends an alarm when the run recovers', () => {
    const config = { ...base, temperature: 0.05 };
    const steps = continued([...run('entropy').slice(0, 6), ...healthy]);
    const [alarm] = alarmHistory(steps, [], config);
    expect(alarm).toMatchObject({ id: 'entropy-collapse' });
    expect(alarm?.until).toBeGreaterThan(6);
    const watch = new Watch();
    expect(watch.follow(steps.slice(0, 6), config)).not.toBeNull();
    expect(watch.follow(steps, config)?.diagnosis.id).not.toBe('entropy-collapse');
  });

  it('shows one alarm at a time, the better in the place of the other, whichever way the steps come', () => {
    const config = { ...base, ppoEpochs: 4, learningRate: 1e-3 };
    const history = alarmHistory(run('epochs'), [], config);
    for (const [i, { until }] of history.slice(0, -1).entries())
      expect(until).toBeLessThanOrEqual(history[i + 1]?.since ?? 0);
    const whole = new Watch().follow(run('epochs'), config);
    expect(whole?.diagnosis.id).toBe(history.findLast(({ until }) => until === null)?.id);
  });

  /** A run that learns the form in 40 steps. Each of its 24 problems a step is easy or hard by chance, so that accuracy wavers; from `fallsAt` on three in four right answers are lost. */
  function wavering(seed: number, length: number, fallsAt = Infinity): StepMetrics[] {
    const draw = drawsFor(seed);
    const of = (n: number, chance: () => number): number =>
      mean(Array.from({ length: n }, () => Number(draw() < chance())));
    return Array.from({ length }, (_, i) => {
      const easy = of(24, () => 0.5);
      const level = i >= fallsAt ? 0.25 : 1;
      const accuracy = level * (easy * of(96, () => 0.9) + (1 - easy) * of(96, () => 0.2));
      const format = of(192, () => Math.min(0.98, 0.5 + i / 80));
      return stepMetricsWith({
        step: i + 1,
        accuracy,
        format,
        reward: 3 * accuracy - 0.5,
        rewardStd: 1.4,
        rewardGroupStd: 0.9,
        fracMixed: 0.6,
        completions: 192,
        meanLength: 45,
        entropy: 0.05,
      });
    });
  }

  it('does not take the luckiest of many steps for what a run could do', () => {
    for (let seed = 0; seed < (everyProof ? 4 : 1); seed++)
      expect(alarmHistory(wavering(seed, 560), [], base)).toEqual([]);
    const fell = alarmHistory(wavering(0, 420, 400), [], base);
    expect(fell[0]?.since).toBeGreaterThan(400);
    expect(fell.find(({ id }) => id === 'form-over-answer')?.since).toBeLessThanOrEqual(408);
  });

  it('waits for four steps before it says that answers are lost for the form', () => {
    const metrics = wavering(1, 48, 40);
    const borneOut = metrics.findIndex((_, i) =>
      diagnose(metrics.slice(0, i + 1), base).some(({ id }) => id === 'form-over-answer'),
    );
    const named = alarmHistory(metrics, [], base).find(({ id }) => id === 'form-over-answer');
    expect(named?.since).toBe(metrics[borneOut + 3]?.step);
  });

  it('begins anew with another run', () => {
    const watch = new Watch();
    expect(watch.follow(run('too-hard'), base)).not.toBeNull();
    watch.forget();
    expect(watch.follow(run('cured'), base)).toBeNull();
  });

  /** An evaluation of 100 problems: `right` of the likeliest answers are right, and `sampled` of one sampled answer each. */
  const evaluation = (step: number, right: number, format: number, sampled = right): EvalResult => {
    const n = 100;
    const samples = Array.from({ length: n }, (_, i) => ({
      index: i,
      correct: i < sampled,
      greedy: { correct: i < right },
    }));
    const greedy = { accuracy: right / n, format };
    return {
      step,
      n,
      accuracy: sampled / n,
      format,
      greedy,
      samples,
      temperature: 1,
    } as unknown as EvalResult;
  };

  it('says that held-out answers were lost though no step shows it', () => {
    const watch = new Watch();
    expect(watch.evaluated([evaluation(0, 30, 0.5), evaluation(40, 28, 0.9)], base)).toBeNull();
    const alarm = watch.evaluated([evaluation(0, 30, 0.5), evaluation(40, 7, 0.99)], base);
    expect(alarm?.diagnosis.id).toBe('form-over-answer');
    expect(alarm?.diagnosis.seen).toContain('from 30% to 7%');
  });

  it('says nothing where a few of the likeliest answers are lost and single ones are right far more often', () => {
    const before = evaluation(0, 100, 0.85, 52);
    expect(new Watch().evaluated([before, evaluation(20, 94, 0.97, 89)], base)).toBeNull();
    expect(new Watch().evaluated([before, evaluation(20, 94, 0.97, 52)], base)).not.toBeNull();
    expect(new Watch().evaluated([before, evaluation(20, 94, 0.97, 40)], base)).not.toBeNull();
  });

  it('keeps saying so until an evaluation finds them again', () => {
    const watch = new Watch();
    const steps = run('cured');
    watch.follow(steps.slice(0, 10), base);
    const before = evaluation(0, 30, 0.5);
    expect(watch.evaluated([before, evaluation(10, 7, 0.5)], base)).not.toBeNull();
    // No step shows it, as none did when it was raised.
    expect(watch.follow(steps, base)?.since).toBe(10);
    expect(watch.evaluated([before, evaluation(30, 9, 0.5)], base)?.since).toBe(10);
    expect(watch.evaluated([before, evaluation(40, 31, 0.5)], base)).toBeNull();
  });

  it('stands in the history of a run though it has recovered', () => {
    const evaluations = [evaluation(0, 30, 0.5), evaluation(10, 7, 0.9), evaluation(20, 31, 1)];
    expect(alarmHistory(run('cured'), evaluations, base)).toMatchObject([
      { id: 'form-over-answer', since: 10, until: 20 },
    ]);
  });
});
