import { describe, expect, test } from 'vitest';
import { accepted, refused } from './trainWords.ts';

describe('options of other systems', () => {
  test('stand for setting=value, with underscores or hyphens', () => {
    const { config } = accepted(
      '--preset',
      'rl-for-real-grpo',
      '--max_steps',
      '40',
      '--learning-rate=2e-6',
      '--num_generations',
      '2',
      '--temperature',
      '0.9',
      '--mask_truncated_completions',
      '--beta',
      '0.04',
    );
    expect(config).toMatchObject({
      numSteps: 40,
      learningRate: 2e-6,
      rolloutsPerProblem: 2,
      temperature: 0.9,
      maskTruncated: true,
      klBeta: 0.04,
    });
    expect(accepted('--report_to', 'none').notes).toContainEqual(
      expect.stringMatching(/^Ignored report_to \("none"\): /),
    );
    expect(refused('--learning_rate').text).toBe(
      'learning_rate (learningRate): "true" is not a number; choose 0 to 1.',
    );
    expect(refused('--learning_rat', '1').text).toContain("unknown option '--learning_rat'");
    expect(refused('--max_steps', '4', 'num_steps=5').text).toMatch(/both set numSteps/);
  });

  test('of Tinker reach its nested settings, and name those without a meaning', () => {
    const ppo = accepted(
      '--preset',
      'tinker-rl-basic',
      'loss_fn=ppo',
      'loss_fn_config.clip_low_threshold=0.9',
      'async_config.max_steps_off_policy=2',
      'log_path=/somewhere',
      'kl_reference_config.name=x',
    );
    expect(ppo.config).toMatchObject({
      loss: 'ppo',
      clipMeaning: 'ratio_bounds',
      clipLow: 0.9,
      clipHigh: 1.2,
      schedule: 'async',
      maxStepsOffPolicy: 2,
    });
    expect(ppo.notes.filter((note) => note.startsWith('Ignored '))).toEqual([
      expect.stringMatching(/^Ignored log_path \("\/somewhere"\): /),
      expect.stringMatching(/^Ignored kl_reference_config\.name \("x"\): /),
    ]);
    const whole = accepted(
      'loss_fn=cispo',
      'loss_fn_config={"clip_low_threshold": 0.0, "clip_high_threshold": 4.0}',
      'stream_minibatch_config={groups_per_batch: 8, num_minibatches: 2}',
      'async_config=null',
    );
    expect(whole.config).toMatchObject({
      loss: 'cispo',
      clipMeaning: 'ratio_bounds',
      clipLow: 0,
      clipHigh: 4,
      schedule: 'stream',
      problemsPerStep: 8,
      numMinibatches: 2,
    });
    expect(refused('loss_fn_config={gamma: 1}').text).toMatch(
      /^loss_fn_config\.gamma: there is no such setting/,
    );
    expect(
      refused('async_config.max_steps_off_policy=1', 'stream_minibatch_config.num_minibatches=2').text,
    ).toMatch(/need different values of schedule, "async" and "stream"/);
  });
});
