import { beforeAll, describe, expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import { createRenderer, type LoadedModel } from '@rl-playground/engine/parts';
import { sumDigits } from '@rl-playground/tasks/parts';
import { samplerOf, scriptedPool, type Script } from '@rl-playground/engine/testing/scriptedPool';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { taskMix } from './taskMix.ts';
import { evaluate, type EvalSample, type EvaluationOptions, type EvaluationSettings } from './evaluate.ts';

let model: LoadedModel;
beforeAll(async () => {
  model = await tinyStarter(starterInNode());
});

const SETTINGS = {
  samples: 4,
  temperature: 0.5,
  passAtK: 0,
  levelSamples: 0,
  maxTokens: 96,
  seed: 8,
  scoring: 'strict',
} satisfies EvaluationSettings;
const answerOf = (index: number): string => sumDigits.generate(0, 'eval', index, sumDigits.defaults).answer;

let clock = 0;
const inSteps = (): number => (clock += 1500);

async function run(
  script: Script,
  settings: Partial<EvaluationSettings> = {},
  onSamples?: EvaluationOptions['onSamples'],
  now = inSteps,
) {
  const pool = scriptedPool(model.tokenizer, script);
  const result = await evaluate(
    {
      tasks: taskMix(defaultConfig('sum_digits')),
      renderer: createRenderer('auto', model),
      promptStyle: 'compact',
      engine: samplerOf(pool),
      now,
    },
    { ...SETTINGS, ...settings },
    7,
    { onSamples },
  );
  return { result, pool };
}

describe('evaluate', () => {
  test('asks every level of the task greedily, besides, and says what each comes to', async () => {
    const { levels } = sumDigits;
    const atLevel = (level: number, index: number): string =>
      sumDigits.generate(0, 'eval', index, { ...sumDigits.defaults, ...levels[level] }).answer;
    // The run's two problems come twice, sampled and greedy; behind them two of each level: level 1 all right, level 2 half, the rest wrong.
    let answered = 0;
    const { result, pool } = await run(
      ({ problem }) => {
        if (answered++ < 4) return `[ANSWER] ${answerOf(problem)}`;
        const [level, index] = [problem >> 1, problem % 2];
        return level === 0 || (level === 1 && index === 0)
          ? `[ANSWER] ${atLevel(level, index)}`
          : 'Answer: 1';
      },
      { samples: 2, levelSamples: 2 },
    );
    expect(pool.asked.map(({ sampling }) => sampling.temperature)).toEqual([0.5, 0, 0]);
    expect(result.n).toBe(2);
    expect(result.levels?.slice(0, 3)).toEqual([
      { task: 'sum_digits', level: 1, accuracy: 1, format: 1, n: 2 },
      { task: 'sum_digits', level: 2, accuracy: 0.5, format: 0.5, n: 2 },
      { task: 'sum_digits', level: 3, accuracy: 0, format: 0, n: 2 },
    ]);
    expect(result.levels).toHaveLength(levels.length);
  });

  test('counts right and tagged answers: 3 of 4 right, 2 of 4 tagged', async () => {
    const { result } = await run(({ problem }) => {
      const right = answerOf(problem);
      return [`[ANSWER] ${right}`, `Answer: ${right}`, `1 + 2 = ${right}`, '[ANSWER] 99999'][problem] ?? null;
    });
    const { samples, ...rest } = result;
    expect(rest).toEqual({
      step: 7,
      accuracy: 0.75,
      format: 0.5,
      n: 4,
      tasks: [],
      temperature: 0.5,
      greedy: { accuracy: 0.75, format: 0.5 },
      seconds: 1.5,
    });
    expect(samples.map(({ correct, format }) => [correct, format])).toEqual([
      [true, true],
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect(samples[3]).toMatchObject({ answer: answerOf(3), extracted: '99999', text: '[ANSWER] 99999' });
  });

  test('shows a few of the newest answers as they come, four times a second at most, and counts the same', async () => {
    const script: Script = ({ problem }) => `[ANSWER] ${problem % 2 === 0 ? answerOf(problem) : 1}`;
    const settings = { samples: 8 };
    const told: (readonly EvalSample[])[] = [];
    // Answers come every 0.1 seconds: the first, and then every third one is shown.
    let time = 0;
    const { result } = await run(
      script,
      settings,
      (samples) => told.push(samples),
      () => (time += 100),
    );
    const shown = [0, 3, 6].map((problem) => ({ answer: answerOf(problem), correct: problem % 2 === 0 }));
    // The greedy answers that follow take their places.
    expect(told.map((samples) => samples.length)).toEqual([1, 2, 3, 3, 3, 3]);
    expect(told[2]).toMatchObject(shown);
    const { greedy: _, ...first } = result.samples[3] ?? {};
    expect(told[1]?.[1]).toEqual(first);
    const unheard = await run(script, settings);
    expect({ ...result, seconds: 0 }).toEqual({ ...unheard.result, seconds: 0 });
  });

  test('asks the first held-out problems once each, whatever the seed, with the settings given', async () => {
    const { pool } = await run(() => '1');
    const [{ requests, sampling } = { requests: [], sampling: null }, ...greedy] = pool.asked;
    expect(greedy.map((each) => each.sampling.temperature)).toEqual([0]);
    expect(greedy[0]?.requests).toEqual(requests);
    expect(sampling).toEqual({ temperature: 0.5, topP: 1, topK: 0, maxTokens: 96, stop: [] });
    expect(requests.map(({ problem, samples, seed }) => [problem, samples, seed])).toEqual([
      [0, 1, 8],
      [1, 1, 8],
      [2, 1, 8],
      [3, 1, 8],
    ]);
    requests.forEach(({ promptIds }, i) => {
      const messages = sumDigits.messages(sumDigits.generate(0, 'eval', i, sumDigits.defaults), 'compact');
      expect(promptIds).toEqual(model.tokenizer.promptIds(messages));
    });
    const steps = new Set(requests.map(({ step }) => step));
    expect(steps.size).toBe(1);
    // No training step can have that number, so no draw is shared with training.
    expect(Math.min(...steps)).toBeGreaterThan(100_000);
  });

  /** The first draws of each problem asked at `temperature` are right. `right` holds their number for each problem. */
  const rightUpTo =
    (temperature: number, right: readonly number[]): Script =>
    ({ problem }, sample, sampling) =>
      sampling.temperature === temperature && sample < (right[problem] ?? 0)
        ? `[ANSWER] ${answerOf(problem)}`
        : 'no idea';

  test('draws k answers at temperature 1, of which the first is the sampled one, and a greedy one', async () => {
    const { result, pool } = await run(rightUpTo(1, [3, 0, 1, 2]), { temperature: 1, passAtK: 3 });
    expect(pool.asked.map(({ sampling, requests }) => [sampling.temperature, requests[0]?.samples])).toEqual([
      [1, 3],
      [0, 1],
    ]);
    expect(result).toMatchObject({ accuracy: 0.75, greedy: { accuracy: 0, format: 0 } });
    expect(result.passAtK).toEqual({ k: 3, accuracy: 0.75 });
    expect(result.samples.map(({ correct, correctDraws }) => [correct, correctDraws])).toEqual([
      [true, 3],
      [false, 0],
      [true, 1],
      [true, 2],
    ]);
  });

  test('draws apart from the sampled answer at another temperature, and asks for the greedy one once', async () => {
    const warm = await run(rightUpTo(1, [2, 0, 1, 2]), { passAtK: 2 });
    expect(warm.pool.asked.map(({ sampling }) => sampling.temperature)).toEqual([0.5, 1, 0]);
    expect(warm.result).toMatchObject({ accuracy: 0, temperature: 0.5, passAtK: { k: 2, accuracy: 0.75 } });
    const greedy = await run(rightUpTo(0, [1, 0, 0, 0]), { temperature: 0, passAtK: 2 });
    expect(greedy.pool.asked.map(({ sampling }) => sampling.temperature)).toEqual([0, 1]);
    expect(greedy.result).toMatchObject({
      accuracy: 0.25,
      greedy: { accuracy: 0.25 },
      passAtK: { accuracy: 0 },
    });
  });

  test('one draw is the sampled accuracy itself', async () => {
    const { result, pool } = await run(rightUpTo(1, [1, 1, 0, 1]), { temperature: 1, passAtK: 1 });
    expect(pool.asked.map(({ requests }) => requests[0]?.samples)).toEqual([1, 1]);
    expect(result).toMatchObject({ accuracy: 0.75, passAtK: { k: 1, accuracy: 0.75 } });
  });

  test('a draw that fails ends the evaluation, too', async () => {
    const script: Script = ({ problem }, sample) => (problem === 1 && sample === 2 ? null : '1');
    await expect(run(script, { temperature: 1, passAtK: 3 })).rejects.toThrow(
      'Problem 2 of the evaluation got no answer: out of order',
    );
  });

  test('a failed answer ends the evaluation with its number and its reason', async () => {
    await expect(run(({ problem }) => (problem === 2 ? null : '1'))).rejects.toThrow(
      'Problem 3 of the evaluation got no answer: out of order',
    );
  });
});
