import type { RunPhase } from '@rl-playground/run/session';
import { expect, it } from 'vitest';
import { canReset, canStart, isBusy, isUnderWay, phaseHint } from './phases.ts';

it('lets nothing start without a model or while work is under way', () => {
  expect(canStart({ phase: 'idle', modelName: 'starter' })).toBe(true);
  expect(canStart({ phase: 'paused', modelName: 'starter' })).toBe(true);
  expect(canStart({ phase: 'idle', modelName: null })).toBe(false);
  expect(canStart({ phase: 'loading', modelName: 'starter' })).toBe(false);
  expect(canStart({ phase: 'pausing', modelName: 'starter' })).toBe(false);
});

it('counts a held run as under way but not as busy', () => {
  expect([isBusy('paused'), isUnderWay('paused')]).toEqual([false, true]);
  expect([isBusy('evaluating'), isUnderWay('evaluating')]).toEqual([true, true]);
  expect([isBusy('finished'), isUnderWay('finished')]).toEqual([false, false]);
});

it('lets a run be left that was stopped before anything was made, and an idle one that shows a record', () => {
  const nothing = { step: 0, sft: { losses: [], tokens: [], total: 0 }, metrics: [], evaluations: [] };
  const leaves = (phase: RunPhase, step = 0): boolean => canReset({ ...nothing, phase, step });
  expect([leaves('stopped'), leaves('paused'), leaves('failed'), leaves('finished')]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([leaves('idle'), leaves('idle', 3)]).toEqual([false, true]);
  expect([leaves('loading', 3), leaves('training', 3), leaves('stopping')]).toEqual([false, false, false]);
  expect(phaseHint('stopped', 0, 0)).toContain('before its first update');
});
