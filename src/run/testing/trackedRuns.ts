/** Run directories for tests of trackers: the files that a run writes, as far as it has come. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonText } from '@rl-playground/base/json';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import { RUN_DIRECTORY } from '../directory/runDirectory.ts';
import { writeMetricsLog, writeSftLog } from '../records/metricsLog.ts';
import { distinctStepMetrics } from './stepMetrics.ts';

/** The settings that the directories have. */
export const TRACKED_CONFIG = { ...defaultConfig('gcd', 'default'), warmStartSteps: 3 };

const evaluation = (step: number): EvalResult => ({
  step,
  accuracy: (step + 1) / 16,
  format: 0.75,
  n: 16,
  tasks: [{ task: 'gcd', reward: 0.5, accuracy: (step + 1) / 16, format: 0.75, n: 16, level: null }],
  temperature: 1,
  seconds: 2,
  greedy: { accuracy: 0.5, format: 1 },
  passAtK: { k: 8, accuracy: 0.625 },
  samples: [],
});

/** Lines of the log, each with its newline: a step, and behind every second one an evaluation. */
export const stepLines = (step: number, seed = step): string =>
  writeMetricsLog([distinctStepMetrics(step, seed)], step % 2 === 0 ? [evaluation(step)] : []);

/** The lines before the first step: three supervised updates and an evaluation. */
export const firstLines = (): string =>
  writeSftLog({ sftLosses: [2.5, 2, 1.5], sftTokens: [40, 50, 60] }, TRACKED_CONFIG) +
  writeMetricsLog([], [evaluation(0)]);

/** Makes the folder with a run of some steps. `finished`: whether it came to its end. */
export function writeTrackedRun(folder: string, steps: number, finished = true): void {
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: steps }, (_, i) => stepLines(i + 1)).join('');
  writeFileSync(join(folder, RUN_DIRECTORY.config), jsonText(TRACKED_CONFIG));
  writeFileSync(join(folder, RUN_DIRECTORY.metrics), firstLines() + lines);
  if (finished) endTrackedRun(folder);
}

export function appendToLog(folder: string, lines: string): void {
  appendFileSync(join(folder, RUN_DIRECTORY.metrics), lines);
}

export function endTrackedRun(folder: string): void {
  writeFileSync(join(folder, RUN_DIRECTORY.results), '{}\n');
}

/** Every number of the log but the steps, as `name@step` and its value, in order: what a tracker has to have. */
export function loggedNumbers(folder: string): [string, number][] {
  const text = readFileSync(join(folder, RUN_DIRECTORY.metrics), 'utf8');
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { step, ...others } = JSON.parse(line) as Record<string, number | null>;
      return Object.entries(others).flatMap(([name, value]): [string, number][] =>
        value === null ? [] : [[`${name}@${step}`, value]],
      );
    });
}
