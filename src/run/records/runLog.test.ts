import { contentOf, openBytes } from '../../hub/openFiles.ts';
import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../rl/loop/rollouts.ts';
import { rolloutWith } from '../../testing/stepContext.ts';
import { rolloutRecord, RunLog } from './runLog.ts';
import { opened } from '../../testing/zips.ts';

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

describe('a line of rollouts.jsonl', () => {
  it('says what was asked and answered, what it earned, and which weights wrote it', () => {
    const rollout = scored({
      group: 2,
      attempt: 1,
      text: '[ANSWER] 3',
      tokens: [4, 5, 6],
      logprobs: [-1, -2, -0.75],
      advantage: -0.25,
      reward: {
        total: 0.2,
        parts: { accuracy: 0, format: 0.2 },
        correct: false,
        format: true,
        reason: 'no answer found',
        extracted: '3',
      },
      stopReason: 'max_tokens',
      policyVersion: 9,
      policyAge: 2,
    });
    expect(rolloutRecord(12, rollout)).toEqual({
      step: 12,
      group: 2,
      problem_index: 7,
      attempt: 1,
      task: 'sums',
      question: 'What is 1+1?',
      answer: '2',
      completion: '[ANSWER] 3',
      reward_reason: 'no answer found',
      extracted: '3',
      prompt_tokens: 2,
      completion_tokens: 3,
      reward: 0.2,
      reward_parts: { accuracy: 0, format: 0.2 },
      correct: false,
      format: true,
      advantage: -0.25,
      trained_on: true,
      stop_reason: 'max_tokens',
      policy_version: 9,
      policy_age: 2,
      mean_logprob: -1.25,
    });
  });

  it('has null where there is no number, and says what was not learned from', () => {
    const record = rolloutRecord(1, scored({ tokens: [], logprobs: [], advantage: NaN, trained: null }));
    expect(record).toMatchObject({ mean_logprob: null, advantage: null, trained_on: false });
  });
});

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
    expect(log.stepsForgotten).toBe(0);
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
    expect(log.stepsForgotten).toBe(1);
    log.addStep(4, [scored(), scored(), scored()]);
    expect(log.steps.map(({ step }) => step)).toEqual([4]);
    expect(log.stepsForgotten).toBe(3);
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
