import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { Run } from '../session/runState.ts';
import { bestOf, commitFolder, commitNumber, headOf, superseded } from './keptRun.ts';

const commits = (...accuracies: readonly (number | null)[]) =>
  accuracies.map((accuracy, number) => ({ number, accuracy }));

const numbers = (found: readonly { number: number }[]): number[] => found.map(({ number }) => number);

describe('commits of a run', () => {
  it('leave the last two and the best', () => {
    expect(numbers(superseded(commits(null, null)))).toEqual([]);
    expect(numbers(superseded(commits(null, null, null, null)))).toEqual([1, 0]);
    expect(numbers(superseded(commits(0.2, 0.9, null, 0.3, null)))).toEqual([2, 0]);
    expect(numbers(superseded(commits(0.2, 0.5, 0.4, 0.6, null)))).toEqual([2, 1, 0]);
  });

  it('are as good as they were evaluated, the newest of equals first', () => {
    expect(bestOf(commits(null, null))).toBeNull();
    expect(bestOf(commits(0.5, 0, 0.5, null))?.number).toBe(2);
    expect(bestOf(commits(0))?.number).toBe(0);
  });

  it('are named by the greedy accuracy where there is one, and say which it is', () => {
    const evaluated = (step: number, greedy?: { accuracy: number; format: number }, temperature = 1) => {
      const config = defaultConfig('reverse_digits');
      const evaluations = [{ step, accuracy: 0.4, temperature, ...(greedy && { greedy }) }];
      const { accuracy, accuracyKind } =
        headOf({ config, step: 2, sftLosses: [], evaluations } as unknown as Run, null) ?? {};
      return [accuracy, accuracyKind];
    };
    expect(evaluated(2, { accuracy: 0.7, format: 1 })).toEqual([0.7, 'greedy']);
    expect(evaluated(2)).toEqual([0.4, 'sampled']);
    expect(evaluated(2, undefined, 0)).toEqual([0.4, 'greedy']);
    // An evaluation of other weights says nothing of these.
    expect(evaluated(1)[0]).toBeNull();
  });

  it('are counted in their folders, which sort', () => {
    expect(commitNumber(commitFolder(12))).toBe(12);
    expect(commitNumber(commitFolder(1_234_567))).toBe(1_234_567);
    expect(['base', 'commit-', 'commit-12x', 'rollouts.jsonl'].map(commitNumber)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
