/** Planted faults are named, and healthy runs raise no alarm. */
import { describe, expect, it } from 'vitest';
import { drawsFor, type Draw } from '@rl-playground/base/random';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import type { PreflightAnswer, PreflightSample } from '../loop/preflight.ts';
import {
  isHopeless,
  lossNote,
  preflightFacts,
  preflightFindings,
  type Finding,
  type FindingId,
  type PreflightSetup,
} from './preflight.ts';

const LEVELS = { easiest: { min_digits: 4, max_digits: 4 }, hardest: { min_digits: 11, max_digits: 11 } };

const setupWith = (changes: Partial<RunConfig> = {}, more: Partial<PreflightSetup> = {}): PreflightSetup => ({
  config: { ...defaultConfig('reverse_digits'), ...changes },
  stopTokens: 1,
  mostTokens: 512,
  levels: LEVELS,
  beforeWarmUp: false,
  ...more,
});

function answer(correct: boolean, format: boolean, changes: Partial<PreflightAnswer> = {}): PreflightAnswer {
  const total = correct && format ? 1 : -1;
  return {
    text: `${correct} ${format}`,
    reward: { total, parts: { all: total }, correct, format, reason: 'as planted', extracted: '1' },
    stopReason: 'eos',
    tokens: 12,
    ...changes,
  };
}

const sampleOf = (make: (p: number, n: number) => PreflightAnswer): PreflightSample => ({
  answersPN: Array.from({ length: 8 }, (_, p) => Array.from({ length: 8 }, (_, n) => make(p, n))),
  seconds: 1,
});

const findingsOf = (sample: PreflightSample, setup: PreflightSetup): Finding[] =>
  preflightFindings(sample, preflightFacts(sample, setup.config), setup);

const half = (n: number): boolean => n % 2 === 0;
const paid = (total: number, correct: boolean, error?: string): PreflightAnswer => ({
  ...answer(correct, true),
  text: `${total}`,
  reward: {
    total,
    parts: { all: total },
    correct,
    format: true,
    reason: 'as planted',
    extracted: '1',
    ...(error !== undefined && { error }),
  },
});

const FAULTS: [
  id: FindingId,
  make: (p: number, n: number) => PreflightAnswer,
  mend: Partial<RunConfig> | null,
  setup?: PreflightSetup,
][] = [
  ['program_fails', (_, n) => paid(0, false, n < 7 ? 'x is not defined' : undefined), null],
  ['empty_answers', () => answer(false, false, { text: ' ' }), null],
  [
    'no_stop_tokens',
    (_, n) => answer(half(n), half(n), { stopReason: 'max_tokens' }),
    null,
    setupWith({}, { stopTokens: 0 }),
  ],
  [
    'never_ends',
    (_, n) => answer(half(n), half(n), { stopReason: 'max_tokens' }),
    { maxTokens: 128 },
    setupWith({ maxTokens: 64 }),
  ],
  [
    'truncated',
    (_, n) => answer(n > 5, n > 5, { stopReason: n > 3 ? 'eos' : 'max_tokens' }),
    { maxTokens: 100 },
    setupWith({ maxTokens: 64 }, { mostTokens: 100 }),
  ],
  ['identical_answers', (p) => answer(half(p), true), { temperature: 1 }, setupWith({ temperature: 0.1 })],
  ['no_form', (_, n) => answer(false, false, { text: `${n}` }), { warmStartSteps: 60 }],
  ['no_right', (_, n) => answer(false, true, { text: `${n}` }), { taskConfig: LEVELS.easiest }],
  [
    'no_right',
    (_, n) => answer(false, true, { text: `${n}` }),
    { warmStartSteps: 60 },
    setupWith({}, { levels: null }),
  ],
  ['all_right', (_, n) => answer(true, true, { text: `${n}` }), { taskConfig: LEVELS.hardest }],
  ['right_not_paid', (_, n) => paid(half(n) ? 0 : 1, half(n)), null],
  ['constant_reward', (_, n) => ({ ...paid(0.5, half(n)), text: `${n}` }), null],
  [
    'few_signals',
    (p, n) => answer(p === 0 && n === 0, true, { text: `${n}` }),
    { rolloutsPerProblem: 4 },
    setupWith({ rolloutsPerProblem: 2 }),
  ],
];

describe('a planted fault', () => {
  it('says that answers are left out, and counts no group by them', () => {
    const broken = { ...paid(0, false, 'x is not defined') };
    const leftOut = { ...broken, reward: { ...broken.reward, leftOut: true as const } };
    const sample = sampleOf((_, n) => (n < 7 ? leftOut : paid(1, true)));
    const setup = setupWith();
    expect(findingsOf(sample, setup)[0]?.text).toContain('Each of them is left out of its group.');
    const without = { ...sample, answersPN: sample.answersPN.map((all) => all.slice(7)) };
    expect(preflightFacts(sample, setup.config).groups).toEqual(preflightFacts(without, setup.config).groups);
  });

  it.each(FAULTS)('is named: %s', (id, make, mend, setup = setupWith()) => {
    const [first, ...others] = findingsOf(sampleOf(make), setup).filter(({ kind }) => kind === 'warning');
    expect(first?.id).toBe(id);
    expect(others).toEqual([]);
    expect(first?.mend?.settings ?? null).toEqual(mend);
    expect(first?.title).toMatch(/\S/);
  });

  it('is not called one where a warm-up is still to come', () => {
    const setup = setupWith({}, { beforeWarmUp: true });
    const found = findingsOf(
      sampleOf((_, n) => answer(false, false, { text: `${n}` })),
      setup,
    );
    expect(found.map(({ id }) => id)).not.toContain('no_form');
  });
});

it('raises no alarm on healthy setups', () => {
  for (let run = 0; run < (everyProof ? 50 : 20); run++) {
    const draw: Draw = drawsFor(81, run);
    const [right, form] = [0.15 + 0.7 * draw(), 0.3 + 0.7 * draw()];
    const sample = sampleOf(() => {
      const [correct, format] = [draw() < right, draw() < form];
      return answer(correct, format, {
        text: `${draw()}`,
        stopReason: draw() < 0.1 ? 'max_tokens' : 'eos',
      });
    });
    expect(findingsOf(sample, setupWith()).filter(({ kind }) => kind === 'warning')).toEqual([]);
  }
});

it('says which losses make the same run, and offers four updates to a batch', () => {
  const found = lossNote({ ...defaultConfig('reverse_digits') });
  expect(found).toMatchObject({ kind: 'note', mend: { settings: { numSubsteps: 4 } } });
  expect(found?.text).toContain('nothing to clip');
  expect(lossNote({ ...defaultConfig('reverse_digits'), numSubsteps: 4 })).toBeNull();
});

it('is hopeless where nothing is right and all answers to a problem earn the same', () => {
  const hopeless = (make: (p: number, n: number) => PreflightAnswer): boolean =>
    isHopeless(preflightFacts(sampleOf(make), defaultConfig('reverse_digits')));
  expect(hopeless(() => paid(0, false))).toBe(true);
  // Problems that earn differently teach nothing either.
  expect(hopeless((p) => paid(p, false))).toBe(true);
  expect(hopeless((p, n) => paid(p === 3 && n === 0 ? 0.5 : 0, false))).toBe(false);
  expect(hopeless(() => paid(1, true))).toBe(false);
});
