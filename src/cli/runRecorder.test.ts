import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WriteError } from '@rl-playground/run/disk';
import type { RunFolder } from './runDirectory.ts';
import { RunRecorder } from './runRecorder.ts';
import type { RunUpdate } from './trainPage.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const UPDATE: RunUpdate = {
  phase: 'training',
  sft: [],
  sftTokens: [],
  metrics: [],
  evaluations: [],
  notices: [],
  rollouts: [],
  rolloutLines: '',
  overriddenPlan: null,
  savedCheckpoints: [],
};

/** A recorder, and in order what it asked of page and folder. `broken`: a call to the folder that fails. */
function recording(broken?: string) {
  const calls: string[] = [];
  const call = (name: string) => (): void => {
    calls.push(name);
    if (name === broken) throw new WriteError(`${name} could not be written.`);
  };
  const written =
    (name: string) =>
    async (at: unknown, zip?: string): Promise<void> => {
      call(`${name} ${String(zip ?? at)}`)();
      await Promise.resolve();
    };
  const folder = {
    sft: call('sft'),
    log: call('log'),
    rollouts: call('rollouts'),
    checkpoint: written('checkpoint'),
    timedCheckpoint: written('timed'),
  } as unknown as RunFolder;
  const page = { checkpoint: (step: number | 'now') => Promise.resolve(`zip of ${step}`) };
  return { calls, recorder: new RunRecorder(folder, page, { full: false }) };
}
const saves = (calls: readonly string[]): string[] => calls.filter((call) => call.includes('zip'));

test('saves once a minute, counted from the last save, until the run ends', async () => {
  const { calls, recorder } = recording();
  recorder.begin();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(saves(calls)).toEqual([]);
  recorder.record({ ...UPDATE, savedCheckpoints: [2] });
  await vi.advanceTimersByTimeAsync(59_000);
  expect(saves(calls)).toEqual(['checkpoint zip of 2']);
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(saves(calls).slice(1)).toEqual(['timed zip of now', 'timed zip of now']);
  await recorder.end();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(saves(calls)).toHaveLength(3);
});

test.each(['rollouts', 'checkpoint zip of 2'])(
  'ends the run where %s fails, and writes nothing more',
  async (broken) => {
    const { calls, recorder } = recording(broken);
    recorder.record({ ...UPDATE, savedCheckpoints: [2] });
    await expect(recorder.failed).rejects.toThrow(`${broken} could not be written.`);
    await recorder.end();
    const before = calls.length;
    recorder.record({ ...UPDATE, savedCheckpoints: [4] });
    await recorder.end();
    expect(calls).toHaveLength(before);
  },
);
