import { describe, expect, test } from 'vitest';
import { tokenTable } from '../../testing/tokenTable.ts';
import { batchSize, ContinuousBatch, type Row } from './continuousBatching.ts';
import { StopMatcher } from './stopStrings.ts';
import type { GroupRequest, SampledCompletion } from './types.ts';
import { MAX_SLOTS } from '../../kernels/decode/index.ts';
import { parseModelConfig } from '../../model/config.ts';

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

const scheduleOf = (samples: readonly number[], slots: number, maxTokens = 100): ContinuousBatch =>
  new ContinuousBatch(requestsOf(samples), maxTokens, new Set([STOP]), slots);

const named = (rows: Iterable<Row>): string[] => [...rows].map(({ group, sample }) => `${group}.${sample}`);

describe('ContinuousBatch', () => {
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
    expect(schedule.progress).toEqual({ tokens: 5, finished: 2, total: 3, underWay: [4] });
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

  test('a group is heard of when the last of its rows ends, whatever is left of those before it', () => {
    const heard: [number, readonly SampledCompletion[]][] = [];
    const schedule = new ContinuousBatch(
      requestsOf([2, 0, 1, 2]),
      100,
      new Set([STOP]),
      8,
      null,
      (...group) => heard.push(group),
    );
    const rows = schedule.admit().rows as [Row, Row, Row, Row, Row];
    // Nothing is asked of the second, so it is complete as it is.
    expect(heard).toEqual([[1, []]]);
    const end = (row: Row): void => void schedule.append(row, STOP, -row.sample);
    for (const row of [rows[4], rows[0], rows[2]]) end(row);
    expect(heard.map(([index]) => index)).toEqual([1, 2]);
    for (const row of [rows[3], rows[1]]) end(row);
    expect(heard.map(([index]) => index)).toEqual([1, 2, 3, 0]);
    expect(heard[3]?.[1].map(({ logprobs }) => logprobs)).toEqual([[-0], [-1]]);
    const results = schedule.results();
    for (const [index, completions] of heard) expect(results[index]).toBe(completions);
  });

  describe('stop strings', () => {
    const END = '';
    /** The tokens' texts by id; the last one is the stop token. */
    const PIECES = ['x', '\n', '\n\n', 'User', ':', 'User: hello', 'z', ': and', '\n\nUser:', END];

    /** Returns the end of a row that is offered these tokens until it ends. */
    function ended(offered: readonly string[], maxTokens = 100) {
      const matcher = new StopMatcher(['\n\nUser:', 'zz'], tokenTable(PIECES));
      const schedule = new ContinuousBatch(requestsOf([1]), maxTokens, new Set([STOP]), 1, matcher);
      const [row] = schedule.admit().rows as [Row];
      for (const piece of offered) {
        if (row.stopReason === null) schedule.append(row, PIECES.indexOf(piece), -0.5);
      }
      expect(row.logprobs).toHaveLength(row.tokens.length);
      return { kept: row.tokens.map((token) => PIECES[token]), stopReason: row.stopReason };
    }

    test('all tokens of the delimiter stay, also one that holds more than its end', () => {
      const split = ['x', '\n\n', 'User', ':'];
      expect(ended([...split, 'x'])).toEqual({ kept: split, stopReason: 'stop' });
      const restarted = ['x', '\n', '\n', '\n', 'User', ': and'];
      expect(ended([...restarted, 'x'])).toEqual({ kept: restarted, stopReason: 'stop' });
      expect(ended(['\n\n', 'User: hello', 'x'])).toEqual({
        kept: ['\n\n', 'User: hello'],
        stopReason: 'stop',
      });
      expect(ended(['\n\nUser:', 'x'])).toEqual({ kept: ['\n\nUser:'], stopReason: 'stop' });
      expect(ended(['z', 'z', 'x'])).toEqual({ kept: ['z', 'z'], stopReason: 'stop' });
    });

    test('the last token of the budget may end the delimiter; one before, the row is cut', () => {
      const split = ['x', '\n\n', 'User', ':'];
      expect(ended(split, 4)).toEqual({ kept: split, stopReason: 'stop' });
      expect(ended(split, 3)).toEqual({ kept: split.slice(0, 3), stopReason: 'max_tokens' });
    });

    test('a stop token right behind the delimiter is not reached; in its middle it ends the row', () => {
      expect(ended(['x', '\n\nUser:', END])).toEqual({ kept: ['x', '\n\nUser:'], stopReason: 'stop' });
      expect(ended(['x', '\n\n', 'User', END])).toEqual({
        kept: ['x', '\n\n', 'User', END],
        stopReason: 'eos',
      });
    });

    test('what one row holds of a delimiter is not the next one’s', () => {
      const matcher = new StopMatcher(['zz'], tokenTable(PIECES));
      const schedule = new ContinuousBatch(requestsOf([2]), 2, new Set([STOP]), 1, matcher);
      const z = PIECES.indexOf('z');
      for (const tokens of [
        [0, z],
        [z, 0],
      ]) {
        const [row] = schedule.admit().rows as [Row];
        for (const token of tokens) schedule.append(row, token, 0);
      }
      expect(schedule.results()[0]?.map(({ stopReason }) => stopReason)).toEqual([
        'max_tokens',
        'max_tokens',
      ]);
    });
  });
});

/** 30 layers of 3 heads of 64: 2 · 30 · 3 · 64 · 4 = 46,080 bytes a position. */
const SMALL = parseModelConfig({
  model_type: 'llama',
  vocab_size: 100,
  hidden_size: 576,
  num_hidden_layers: 30,
  num_attention_heads: 9,
  num_key_value_heads: 3,
  intermediate_size: 1536,
  tie_word_embeddings: true,
});
const POSITION_BYTES = 46_080;
const BUDGET = 2 ** 30;

function sameRequests(groups: number, samples: number, promptLength: number): GroupRequest[] {
  return Array.from({ length: groups }, (_, problem) => ({
    promptIds: Array.from({ length: promptLength }, () => 1),
    samples,
    seed: 0,
    step: 0,
    problem,
  }));
}

describe('batchSize', () => {
  test('takes every row where all have room, and a place for each prompt', () => {
    expect(batchSize(SMALL, sameRequests(3, 8, 17), 16)).toEqual({
      slots: 24,
      places: 3,
      promptLength: 32,
      capacity: 48,
    });
    expect(batchSize(SMALL, sameRequests(5, 1, 1), 17)).toEqual({
      slots: 5,
      places: 5,
      promptLength: 16,
      capacity: 48,
    });
  });

  test('takes no more rows than one workgroup of the GPU gathers', () => {
    const { slots, places } = batchSize(SMALL, sameRequests(40, 8, 10), 16);
    expect(slots).toBe(MAX_SLOTS);
    expect(places).toBe(40);
    expect(batchSize(SMALL, sameRequests(400, 1, 10), 16).places).toBe(MAX_SLOTS);
  });

  test('stays within the memory for keys and values', () => {
    const long = sameRequests(64, 2, 256);
    const { slots, places, promptLength, capacity } = batchSize(SMALL, long, 256);
    expect([promptLength, capacity]).toEqual([256, 512]);
    expect((slots + places) * 512 * POSITION_BYTES).toBeLessThanOrEqual(BUDGET);
    expect((slots + places + 2) * 512 * POSITION_BYTES).toBeGreaterThan(BUDGET);
    // 15 rooms: 7 rows with a prompt each, or 13 rows of two prompts.
    const fifteen = 7700 * POSITION_BYTES;
    expect(batchSize(SMALL, long, 256, fifteen)).toMatchObject({ slots: 7, places: 7 });
    expect(batchSize(SMALL, sameRequests(2, 20, 256), 256, fifteen)).toMatchObject({ slots: 13, places: 2 });
    expect(batchSize(SMALL, long, 256, 100 * POSITION_BYTES)).toMatchObject({ slots: 1, places: 1 });
  });

  test('counts the positions that layers with windows keep', () => {
    const config = parseModelConfig({
      model_type: 'gemma3_text',
      vocab_size: 100,
      hidden_size: 64,
      num_hidden_layers: 6,
      num_attention_heads: 2,
      num_key_value_heads: 1,
      head_dim: 32,
      intermediate_size: 64,
      sliding_window: 40,
    });
    // One layer keeps 96 positions of a row or of a prompt's place, five keep 40; 256 bytes each.
    const room = (96 + 5 * 40) * 256;
    const requests = sameRequests(9, 1, 64);
    expect(batchSize(config, requests, 32, 6 * room)).toMatchObject({ slots: 3, places: 3 });
    expect(batchSize(config, requests, 32, 6 * room - 1)).toMatchObject({ slots: 2, places: 2 });
  });

  test('is one row for no requests at all', () => {
    expect(batchSize(SMALL, [], 16)).toEqual({ slots: 1, places: 1, promptLength: 16, capacity: 32 });
  });
});
