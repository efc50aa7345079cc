import { describe, expect, it } from 'vitest';
import { ALIASES, keyOfName, otherNames, readNames, snakeName } from './names.ts';
import { FIELD_KEYS, RUN_FIELDS } from './schema/schema.ts';

describe('names', () => {
  it('are one setting each, in the code’s spelling and in snake_case', () => {
    for (const key of FIELD_KEYS) {
      expect(snakeName(key)).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
      expect([keyOfName(key), keyOfName(snakeName(key))]).toEqual([key, key]);
    }
    expect(new Set(FIELD_KEYS.map(snakeName)).size).toBe(FIELD_KEYS.length);
    expect(snakeName('problemsPerStep')).toBe('problems_per_step');
    expect(snakeName('adamBeta1')).toBe('adam_beta1');
    expect(snakeName('topP')).toBe('top_p');
  });

  it('are never both an alias and a setting’s own', () => {
    const own = new Set(FIELD_KEYS.flatMap((key) => [key as string, snakeName(key)]));
    expect(Object.keys(ALIASES).filter((alias) => own.has(alias))).toEqual([]);
  });

  it.each([
    ['group_size', 'rolloutsPerProblem'],
    ['num_generations', 'rolloutsPerProblem'],
    ['batch_size', 'problemsPerStep'],
    ['groups_per_batch', 'problemsPerStep'],
    ['max_tokens', 'maxTokens'],
    ['max_completion_length', 'maxTokens'],
    ['beta', 'klBeta'],
    ['kl_penalty_coef', 'klPenaltyCoef'],
    ['loss_fn', 'loss'],
    ['loss_type', 'loss'],
    ['num_iterations', 'ppoEpochs'],
    ['max_steps', 'numSteps'],
    ['fixed_eval_steps', 'evalEvery'],
    ['save_every', 'saveSteps'],
    ['save_steps', 'saveSteps'],
    ['lora_r', 'loraRank'],
    ['max_grad_norm', 'clipNorm'],
    ['adam_beta1', 'adamBeta1'],
    ['toString', null],
    ['__proto__', null],
    ['', null],
  ])('%s is %s', (name, key) => {
    expect(keyOfName(name)).toBe(key);
  });

  it('are listed beside a setting’s own', () => {
    expect(otherNames('rolloutsPerProblem')).toEqual(['group_size', 'num_generations']);
  });
});

describe('readNames', () => {
  it('reads values by any name and keeps what names nothing', () => {
    const { values, names, errors, unknown } = readNames([
      ['batch_size', 4],
      ['rolloutsPerProblem', 2],
      ['top_p', 0.9],
      ['colour', 'red'],
    ]);
    expect(values).toEqual({ problemsPerStep: 4, rolloutsPerProblem: 2, topP: 0.9 });
    expect(names.get('problemsPerStep')).toBe('batch_size');
    expect(errors).toEqual([]);
    expect(unknown).toEqual([['colour', 'red']]);
  });

  it('refuses two names of one setting, and the same name twice', () => {
    expect(
      readNames([
        ['group_size', 4],
        ['num_generations', 4],
      ]).errors,
    ).toEqual(['group_size and num_generations both set rolloutsPerProblem; give one of them.']);
    expect(
      readNames([
        ['seed', 1],
        ['seed', 2],
      ]).errors,
    ).toEqual(['seed is given twice; give it once.']);
  });

  it('reads ε as both distances, unless the upper one is given by itself', () => {
    expect(readNames([['epsilon', 0.1]]).values).toEqual({
      clipLow: 0.1,
      clipHigh: 0.1,
      clipMeaning: 'epsilon',
    });
    for (const order of [
      ['epsilon', 'epsilon_high'],
      ['epsilon_high', 'epsilon'],
    ]) {
      const given = order.map((name) => [name, name === 'epsilon' ? 0.1 : 0.28] as const);
      expect(readNames(given)).toMatchObject({ values: { clipLow: 0.1, clipHigh: 0.28 }, errors: [] });
    }
  });

  it('reads Tinker’s thresholds as bounds, and refuses them beside ε', () => {
    expect(
      readNames([
        ['clip_low_threshold', 0.8],
        ['clip_high_threshold', 1.2],
      ]),
    ).toMatchObject({ values: { clipLow: 0.8, clipHigh: 1.2, clipMeaning: 'ratio_bounds' }, errors: [] });
    const { errors } = readNames([
      ['epsilon_high', 0.2],
      ['clip_low_threshold', 0.8],
    ]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^epsilon_high and clip_low_threshold .*"epsilon" and "ratio_bounds"/);
  });

  it('knows other words for values', () => {
    expect(readNames([['scale_rewards', true]]).values).toEqual({ advantageScale: 'group' });
    expect(readNames([['scale_rewards', 'False']]).values).toEqual({ advantageScale: 'none' });
    expect(readNames([['lr_scheduler_type', 'constant_with_warmup']]).values).toEqual({
      lrSchedule: 'constant',
    });
    for (const { key, words } of Object.values(ALIASES))
      for (const word of Object.values(words ?? {}))
        expect(RUN_FIELDS[key].schema.safeParse(word).success).toBe(true);
  });
});
