import { describe, expect, test } from 'vitest';
import { RowSchedule, type Row } from './schedule.ts';
import type { GroupRequest } from './types.ts';

const STOP = 9;

function requestsOf(samples: readonly number[]): GroupRequest[] {
  return samples.map((count, problem) => ({
    promptIds: [problem],
    samples: count,
    seed: 0,
    step: 0,
    problem,
  }));
}

const scheduleOf = (samples: readonly number[], slots: number, maxTokens = 100): RowSchedule =>
  new RowSchedule(requestsOf(samples), maxTokens, new Set([STOP]), slots);

const named = (rows: Iterable<Row>): string[] => [...rows].map(({ group, sample }) => `${group}.${sample}`);

describe('RowSchedule', () => {
  test('fills the slots in order, and a place that becomes free is taken by the next row', () => {
    const schedule = scheduleOf([2, 2, 3], 3);
    const first = schedule.admit();
    expect(named(first.rows)).toEqual(['0.0', '0.1', '1.0']);
    expect(first.rows.map(({ slot }) => slot)).toEqual([0, 1, 2]);
    expect(first.prompts.map(({ place, request }) => [place, request.problem])).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(schedule.admit()).toEqual({ prompts: [], rows: [] });

    schedule.append(first.rows[1] as Row, STOP, -1);
    const second = schedule.admit();
    expect(named(second.rows)).toEqual(['1.1']);
    expect(second.rows[0]).toMatchObject({ slot: 1, place: 1 });
    // The group's prompt is there already.
    expect(second.prompts).toEqual([]);
    expect(named(schedule.active)).toEqual(['0.0', '1.0', '1.1']);
  });

  test('a prompt keeps its place until the last of its group has ended', () => {
    const schedule = scheduleOf([2, 1, 1], 2);
    const [a, b] = schedule.admit().rows as [Row, Row];
    schedule.append(a, STOP, 0);
    const third = schedule.admit();
    expect(third.prompts.map(({ place }) => place)).toEqual([1]);
    schedule.append(b, STOP, 0);
    const fourth = schedule.admit();
    expect(fourth.prompts.map(({ place }) => place)).toEqual([0]);
    expect(fourth.rows[0]).toMatchObject({ group: 2, slot: 1, place: 0 });
  });

  test('a row ends with a stop token or at its budget; results are in the order of the requests', () => {
    const schedule = scheduleOf([1, 2], 8, 3);
    const [a, b, c] = schedule.admit().rows as [Row, Row, Row];
    for (const token of [1, 2, 3]) schedule.append(c, token, -token);
    schedule.append(b, STOP, -0.5);
    schedule.append(a, 4, -1);
    expect(schedule.progress).toEqual({ tokens: 5, finished: 2, total: 3 });
    expect(named(schedule.active)).toEqual(['0.0']);
    schedule.append(a, STOP, -2);
    expect(schedule.active.size).toBe(0);
    expect(schedule.results()).toEqual([
      [{ tokens: [4, STOP], logprobs: [-1, -2], stopReason: 'eos' }],
      [
        { tokens: [STOP], logprobs: [-0.5], stopReason: 'eos' },
        { tokens: [1, 2, 3], logprobs: [-1, -2, -3], stopReason: 'max_tokens' },
      ],
    ]);
  });

  test('whatever the lengths, slots are shared by no two rows and all rows come out', () => {
    const samples = Array.from({ length: 20 }, () => 1 + Math.floor(5 * Math.random()));
    const schedule = scheduleOf(samples, 7);
    const prefilled = new Set<GroupRequest>();
    let most = 0;
    for (;;) {
      for (const { request } of schedule.admit().prompts) {
        expect(prefilled.has(request)).toBe(false);
        prefilled.add(request);
      }
      const active = [...schedule.active];
      if (active.length === 0) break;
      most = Math.max(most, active.length);
      expect(new Set(active.map(({ slot }) => slot)).size).toBe(active.length);
      const places = new Map(active.map(({ place, group }) => [place, group]));
      for (const { place, group } of active) expect(places.get(place)).toBe(group);
      for (const row of active) schedule.append(row, Math.random() < 0.2 ? STOP : 1, 0);
    }
    expect(most).toBe(7);
    expect(prefilled.size).toBe(20);
    expect(schedule.results().map((rows) => rows.length)).toEqual(samples);
    expect(schedule.progress.finished).toBe(schedule.total);
  });
});
