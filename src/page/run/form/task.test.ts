import { describe, expect, it } from 'vitest';
import { taskByName } from '@rl-playground/tasks/parts';
import { defaultConfig } from '@rl-playground/run/settings';
import { expectation, levelOf, sharedStarter, taskMenu, withoutDefaults } from './task.ts';

const chainSum = taskByName('chain_sum');

describe('the settings of a task in the form', () => {
  it('keep only what differs from the defaults', () => {
    expect(withoutDefaults(chainSum, chainSum.defaults)).toEqual({});
    expect(withoutDefaults(chainSum, { ...chainSum.defaults, max_terms: 3 })).toEqual({ max_terms: 3 });
  });

  it('know the level they are, in whatever order they were set', () => {
    chainSum.levels.forEach((level, i) => {
      const backwards = Object.fromEntries(Object.entries(level).reverse());
      expect(levelOf(chainSum, backwards)).toBe(i);
    });
    expect(levelOf(chainSum, { max_terms: 7 })).toBe(-1);
  });

  it('find the model that several tasks share', () => {
    const digits = [taskByName('sum_digits'), taskByName('reverse_digits')];
    expect(sharedStarter(digits)).toBe('starter');
    expect(sharedStarter([...digits, null])).toBe(null);
    expect(sharedStarter([])).toBe(null);
  });
});

it('names the kind of model that a task needs in the menu, until one that is not bundled is loaded', () => {
  const labels = (loaded: boolean) =>
    taskMenu([], loaded).flatMap(({ items }) => items.map(({ label }) => label));
  expect(labels(false)).toEqual(
    expect.arrayContaining([
      'Instructions (instruct model)',
      'Answer in a form (instruct model)',
      'Single-digit sums (instruct model)',
      'Coin flips (larger model)',
      'Reverse digits',
    ]),
  );
  expect(labels(true)).toEqual(expect.arrayContaining(['Instructions', 'Coin flips', 'Reverse digits']));
  expect(labels(true).join()).not.toContain(' model)');
});

describe('what to expect of a task', () => {
  const said = (preset: 'default' | 'beyond-demonstrations' | 'monarch-digits', model?: string) => {
    const config = defaultConfig('chain_sum', preset);
    return expectation(chainSum, { preset, model: model ?? config.model });
  };

  it('is what its first run gave, under the settings of that run', () => {
    expect(said('default')).toBe(chainSum.starter?.expect);
    expect(said('default', 'starter')).toBe(
      `With starter-gym and the recommended settings: ${chainSum.starter?.expect}`,
    );
    expect(said('monarch-digits')).toContain('the recommended settings: Sampled accuracy rises');
  });

  it('is not known of a model that came from elsewhere', () => {
    expect(expectation(chainSum, defaultConfig('chain_sum'), 'SmolLM2')).toContain(
      'measured this task with SmolLM2',
    );
  });

  it('is what others published or was measured here, where a preset says so, whatever model is loaded', () => {
    const gsm8k = taskByName('gsm8k');
    const config = defaultConfig('gsm8k', 'math-instruct');
    for (const loaded of ['Qwen2.5-0.5B-Instruct', null])
      expect(expectation(gsm8k, config, loaded)).toContain('Others got from 36% to 54%');
    expect(expectation(chainSum, { ...config, preset: 'math-instruct' }, 'Qwen')).toContain(
      'Nobody has measured',
    );
    const json = defaultConfig('format_follow', 'gemma3-json');
    expect(expectation(taskByName('format_follow'), json, 'gemma.gguf')).toContain('of Gemma 3 270M');
    const sentence = defaultConfig('instructions', 'smollm2-one-sentence');
    expect(expectation(taskByName('instructions'), sentence, 'x.gguf')).toContain('Nobody has measured');
  });

  it('says of no shortcut that it is learned, and of greedy answers that they are lost', () => {
    const of = (name: string): string => expectation(taskByName(name), defaultConfig(name));
    expect(of('gcd')).toMatch(/is too small to learn it\. So it finds a shortcut: .* wrong/);
    expect(of('leg_counting')).toContain('Sampled accuracy rises');
    expect(of('leg_counting')).toContain('greedy accuracy falls from 83% to 68%');
  });

  it('is the same under a preset that makes the same run', () => {
    const titan = taskByName('sum_digits_titan');
    for (const preset of ['default', 'beyond-demonstrations'] as const)
      expect(expectation(titan, defaultConfig(titan.name, preset))).toBe(titan.starter?.expect);
    expect(expectation(titan, defaultConfig(titan.name, 'monarch-digits'))).toMatch(/^With starter-short/);
  });

  it('is what a preset’s own runs of it gave, where there were some', () => {
    expect(said('beyond-demonstrations')).toContain('Of four it gets 9% right');
    const { starter } = taskByName('gcd');
    expect(expectation(taskByName('gcd'), defaultConfig('gcd', 'beyond-demonstrations'))).toContain(
      starter?.expect,
    );
  });
});
