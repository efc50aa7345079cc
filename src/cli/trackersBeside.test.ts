import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE } from '@rl-playground/base/testing/patience';
import { readEventFile, scalarsOf } from '@rl-playground/bridges/testing/eventFiles';
import {
  appendToLog,
  endTrackedRun,
  loggedNumbers,
  stepLines,
  writeTrackedRun,
} from '@rl-playground/run/testing/trackedRuns';
import { parseTrainArguments } from './trainArguments.ts';
import { lockFolder } from '@rl-playground/run/disk';
import { askedTrackers, checkTrackers, startTrackers, trackersAgain } from './trackersBeside.ts';
import { stateFolder, TrackState } from '@rl-playground/bridges/trackers';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beside-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('--track takes trackers by name, each as the file asks for it', () => {
  const parse = (...words: string[]) => parseTrainArguments(words);
  const file = join(folder, 'grpo.yaml');
  const keys = [
    'loss_type: grpo',
    'num_generations: 4',
    'wandb_project: p',
    'run_name: r',
    'report_to: wandb',
  ];
  writeFileSync(file, keys.join('\n'));
  expect(parse('--config', file, '--out', 'a', '--track', 'tensorboard,wandb')).toMatchObject({
    track: [
      { target: 'tensorboard', place: {} },
      { target: 'wandb', place: { project: 'p', name: 'r' } },
    ],
    notes: expect.arrayContaining([
      expect.stringContaining('`npx rl-playground track a --to wandb --project p --name r`'),
    ]) as string[],
  });
  expect(parse('--out', 'a')).toMatchObject({ track: [] });
  expect(parse('--track', 'wandb')).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining('--track needs --out') as string,
  });
  expect(parse('--out', 'a', '--track', 'wandb,neptune')).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining(
      'There is no tracker "neptune"; it must be one or several of tensorboard,',
    ) as string,
  });
});

test('a run that is gone on with is sent where it was sent before', () => {
  writeTrackedRun(folder, 1);
  const place = { project: 'p', name: 'r' };
  TrackState.open(folder, stateFolder(folder, 'wandb', 'there'), { destination: 'there', place });
  // Of one that was ended before it began there is a folder alone.
  stateFolder(folder, 'mlflow', 'nothing');
  expect(trackersAgain(folder, ['wandb', 'mlflow'])).toEqual([
    { target: 'wandb', place, namedBy: join(stateFolder(folder, 'wandb', 'there'), 'state.json') },
    { target: 'mlflow', place: {} },
  ]);
  expect(parseTrainArguments(['--resume', folder, '--track', 'wandb'])).toMatchObject({
    track: [{ target: 'wandb', place }],
  });
});

test('what a tracker lacks is said before training', () => {
  const asked = askedTrackers(['tensorboard', 'wandb'], [], 'settings.yaml');
  expect(() => checkTrackers(folder, asked, {})).toThrow(/WANDB_API_KEY/);
  expect(() => checkTrackers(folder, asked, { WANDB_API_KEY: 'x' })).not.toThrow();
});

test('a tracker beside a run is a process that ends when the run has, and all is written', async () => {
  writeTrackedRun(folder, 1, false);
  const release = lockFolder(folder);
  const place = { dir: join(folder, 'logs') };
  const [tracker] = startTrackers(folder, [{ target: 'tensorboard', place }], () => {});
  if (tracker === undefined) throw new Error('There is one tracker.');
  const ended = once(tracker, 'close');
  const bytes = (): Buffer => readFileSync(join(folder, 'logs', readdirSync(join(folder, 'logs'))[0] ?? ''));
  /** Resolves when the tracker has written it. */
  const written = (wanted: string): Promise<void> =>
    vi.waitFor(() => expect(scalarsOf(bytes()).map(([name]) => name)).toContain(wanted), {
      timeout: PATIENCE,
      interval: 100,
    });
  await written('reward@1');
  appendToLog(folder, stepLines(2));
  await written('eval/accuracy@2');
  appendToLog(folder, stepLines(3));
  endTrackedRun(folder);
  release();
  const log = (): string => readFileSync(join(folder, 'tracking', 'tensorboard.log'), 'utf8');
  await ended;
  expect(log()).toContain('sent 8 lines of the log');
  const [kept = ''] = readdirSync(join(folder, 'tracking')).filter((name) => !name.endsWith('.log'));
  expect(existsSync(join(folder, 'tracking', kept, 'run.lock'))).toBe(false);
  expect(scalarsOf(bytes())).toEqual(
    loggedNumbers(folder).map(([name, value]) => [name, Math.fround(value)]),
  );
  // The version, settings twice, eight lines, the end.
  expect(readEventFile(bytes())).toHaveLength(12);
});
