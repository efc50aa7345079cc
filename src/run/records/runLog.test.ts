import { contentOf, openBytes } from '@rl-playground/engine/parts';
import { describe, expect, it } from 'vitest';
import type { Rollout } from '../rollouts/rollout.ts';
import { rolloutWith } from '../testing/stepContext.ts';
import { RunLog } from './runLog.ts';
import { opened } from '@rl-playground/engine/testing/zips';

function scored(changes: Partial<Rollout> = {}): Rollout {
  return {
    ...rolloutWith(changes),
    question: 'What is 1+1?',
    index: 7,
    attempt: 0,
    advantage: 0.5,
    ...changes,
  };
}

const textOf = async (log: RunLog): Promise<string> =>
  new TextDecoder().decode(await contentOf(log.rollouts));

describe('the log of a run', () => {
  const limits = { rolloutCharacters: 1e6, checkpointBytes: 10 };
  const files = (bytes: number) => opened(new Map([['model.safetensors', new Uint8Array(bytes)]]));

  it('keeps one line per completion, step after step', async () => {
    const log = new RunLog(limits);
    log.addStep(1, [scored(), scored({ text: 'line\nbreak' })]);
    log.addStep(2, [scored()]);
    expect(log.steps.map(({ step }) => step)).toEqual([1, 2]);
    const lines = (await textOf(log)).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual([1, 1, 2]);
    expect((JSON.parse(lines[1] ?? '') as { completion: string }).completion).toBe('line\nbreak');
    expect(log.stepsKept).toBe(2);
  });

  it('gives away lines that are stored elsewhere, and reads them there', async () => {
    const log = new RunLog(limits);
    for (const step of [1, 2, 3]) log.addStep(step, [scored()]);
    const whole = await textOf(log);
    const [first = '', second = '', third = ''] = whole.split(/(?<=\n)/);
    log.store(2, { steps: 2, file: openBytes(new TextEncoder().encode(first + second)) });
    expect(log.steps.map(({ lines }) => lines)).toEqual([third]);
    expect([log.stepsKept, await textOf(log)]).toEqual([3, whole]);
    log.store(0, { steps: 0, file: null });
    expect([log.stepsKept, await textOf(log)]).toEqual([1, third]);
  });

  it('reads the lines of each step, wherever they are, and none that it has gone back behind', async () => {
    const log = new RunLog(limits);
    for (const step of [1, 2, 3]) log.addStep(step, [scored({ text: `é${step}` }), scored()]);
    const linesOf = (step: number) => log.steps.find((each) => each.step === step)?.lines;
    const expected = [1, 2, 3].map(linesOf);
    const file = (steps: readonly number[]) =>
      openBytes(new TextEncoder().encode(steps.map((step) => expected[step - 1]).join('')));
    log.store(1, { steps: 1, file: file([1]) });
    expect(await log.readableSteps()).toEqual([1, 2, 3]);
    log.store(2, { steps: 2, file: file([1, 2]) });
    expect(await log.readableSteps()).toEqual([1, 2, 3]);
    for (const step of [1, 2, 3]) expect(await log.linesOf(step)).toBe(expected[step - 1]);
    expect(await log.linesOf(4)).toBeNull();
    log.forgetAfter(1);
    log.store(1, { steps: 1, file: file([1]) });
    expect(await log.readableSteps()).toEqual([1]);
    // The same step, made again.
    log.store(2, { steps: 2, file: openBytes(new TextEncoder().encode(`${expected[0]}{"step":2}\n`)) });
    expect(await log.linesOf(2)).toBe('{"step":2}\n');
    expect(await log.linesOf(1)).toBe(expected[0]);
  });

  it('has checkpoints that are stored elsewhere among the others, and forgets none of them', () => {
    const log = new RunLog(limits);
    log.addCheckpoint(2, files(6));
    log.storeCheckpoint({ step: 2, files: files(6) });
    log.storeCheckpoint({ step: 1, files: files(6) });
    log.addCheckpoint(3, files(6));
    log.addCheckpoint(4, files(6));
    expect(log.checkpoints.map(({ step }) => step)).toEqual([1, 2, 4]);
  });

  it('forgets the oldest steps beyond its limit, never the newest', () => {
    const line = new RunLog(limits);
    line.addStep(1, [scored()]);
    const log = new RunLog({ ...limits, rolloutCharacters: 2 * line.rollouts.size });
    for (const step of [1, 2, 3]) log.addStep(step, [scored()]);
    expect(log.steps.map(({ step }) => step)).toEqual([2, 3]);
    expect(log.stepsKept).toBe(2);
    log.addStep(4, [scored(), scored(), scored()]);
    expect(log.steps.map(({ step }) => step)).toEqual([4]);
    expect(log.stepsKept).toBe(1);
  });

  it('forgets the oldest checkpoints beyond its limit, never the newest, and those that are stored elsewhere', () => {
    const log = new RunLog(limits);
    const steps = () => log.checkpoints.map(({ step }) => step);
    log.addCheckpoint(1, files(4));
    log.addCheckpoint(2, files(6));
    expect(steps()).toEqual([1, 2]);
    log.addCheckpoint(3, files(4));
    expect(steps()).toEqual([2, 3]);
    log.addCheckpoint(4, files(99));
    expect(steps()).toEqual([4]);
    log.releaseCheckpoint(4);
    expect(steps()).toEqual([]);
  });
});
