import { expect, test } from 'vitest';
import { defaultConfig } from '../../config/presets.ts';
import { readMetricsLog } from './metricsLog.ts';
import { sftRecords, writeSftLog } from './sftLog.ts';

const CONFIG = { ...defaultConfig('sum_digits'), warmStartSteps: 6, warmStartLearningRate: 1e-3 };

test('the updates count up to step 0, with the rate that each was made with', () => {
  const state = { sftLosses: [3, 2.5, 2, 1.5, 1.25, 1], sftTokens: [10, 11, 12, 13, 14, 15] };
  const records = sftRecords(state, CONFIG);
  expect(records.map(({ step }) => step)).toEqual([-5, -4, -3, -2, -1, 0]);
  expect(records.map((record) => record['sft/step'])).toEqual([1, 2, 3, 4, 5, 6]);
  expect(records.map((record) => record['sft/loss'])).toEqual(state.sftLosses);
  expect(records.map((record) => record['sft/tokens'])).toEqual(state.sftTokens);
  // One update of rise, 1 / 2 of the peak; then 1 − s / 5 of it after s of the 5 others.
  const rates = [0.5e-3, 1e-3, 0.8e-3, 0.6e-3, 0.4e-3, 0.2e-3];
  records.forEach((record, i) => expect(record['sft/lr']).toBeCloseTo(rates[i] ?? NaN, 12));
});

test('a log from before tokens were counted says null, and no reader takes the lines for steps', () => {
  const log = writeSftLog({ sftLosses: [3, 2] }, CONFIG);
  const lines = log.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ step: -4, 'sft/step': 2, 'sft/tokens': null });
  expect(readMetricsLog(log)).toEqual([]);
});

test('a run without a warm start, or without settings, has no lines', () => {
  expect(writeSftLog({ sftLosses: [] }, CONFIG)).toBe('');
  expect(writeSftLog(null, CONFIG)).toBe('');
  expect(writeSftLog({ sftLosses: [1] }, null)).toBe('');
});
