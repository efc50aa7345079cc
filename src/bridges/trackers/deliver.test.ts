/** A run directory that grows while it is followed, as a run, and as one that is cut and gone on with. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  appendToLog,
  endTrackedRun,
  firstLines,
  loggedNumbers,
  stepLines,
  writeTrackedRun,
} from '@rl-playground/run/testing/trackedRuns';
import { replaceFile, lockFolder } from '@rl-playground/run/disk';
import { deliver, type Delivery } from './deliver.ts';
import { RunLineReader, type RunLine } from './runLines.ts';
import { stateFolder, TrackState } from './state.ts';
import type { Ending, Tracker } from './tracker.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deliver-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Keeps what it gets; `ended`: how, once it was closed. */
class Keeper implements Tracker {
  readonly lines: RunLine[] = [];
  readonly calls: number[] = [];
  ended: Ending | null = null;
  readonly #state: TrackState;

  constructor(state: TrackState) {
    this.#state = state;
  }

  open = () => Promise.resolve('here');

  send(lines: readonly RunLine[]): Promise<void> {
    this.calls.push(lines.length);
    this.lines.push(...lines);
    this.#state.acknowledge(lines);
    return Promise.resolve();
  }

  close(ending: Ending): Promise<void> {
    this.ended = ending;
    return Promise.resolve();
  }

  get numbers(): [string, number][] {
    return this.lines.flatMap(({ step, values }) =>
      [...values].map(([name, value]): [string, number] => [`${name}@${step}`, value]),
    );
  }
}

/** `scenes` change the directory each time that the tracker has seen all that is there. */
async function follow(scenes: (() => void)[], more: Partial<Delivery> = {}) {
  const kept = stateFolder(folder, 'keeper', 'here');
  const state = TrackState.open(folder, kept, { destination: 'here', place: {} });
  const keeper = new Keeper(state);
  const pause = (): Promise<void> => {
    const scene = scenes.shift();
    if (scene === undefined) throw new Error('it waits beyond the last scene');
    scene();
    return Promise.resolve();
  };
  const told: string[] = [];
  const delivery = { folder, follow: true, writer: null, say: (text: string) => void told.push(text), pause };
  await deliver(keeper, state, { ...delivery, ...more });
  return { keeper, told, rest: scenes.length };
}

test('lines are sent as they are written, whole, until the run has its results', async () => {
  writeTrackedRun(folder, 1, false);
  const half = stepLines(3);
  const { keeper, rest } = await follow([
    () => appendToLog(folder, stepLines(2)),
    () => appendToLog(folder, half.slice(0, 40)),
    () => appendToLog(folder, half.slice(40)),
    () => {},
    () => {
      appendToLog(folder, stepLines(4));
      endTrackedRun(folder);
    },
  ]);
  expect(rest).toBe(0);
  expect(keeper.calls).toEqual([5, 2, 1, 2]);
  expect(keeper.numbers).toEqual(loggedNumbers(folder));
  expect(keeper.ended).toBe('finished');
});

test('a run that nobody writes to any more has ended, without results', async () => {
  writeTrackedRun(folder, 1, false);
  const release = lockFolder(folder);
  const { keeper } = await follow([
    () => appendToLog(folder, stepLines(2)),
    () => {
      appendToLog(folder, stepLines(3));
      release();
    },
  ]);
  expect(keeper.numbers).toEqual(loggedNumbers(folder));
  expect(keeper.ended).toBe('failed');
});

test('a writer that is gone ends it, though no lock was seen', async () => {
  writeTrackedRun(folder, 2, false);
  // No process has a number that large.
  const { keeper } = await follow([], { writer: 2 ** 30 });
  expect(keeper.numbers).toEqual(loggedNumbers(folder));
  expect(keeper.ended).toBe('failed');
});

test('a log that is not there yet is waited for', async () => {
  writeTrackedRun(folder, 1, false);
  rmSync(join(folder, 'metrics.jsonl'));
  const { keeper } = await follow([
    () => {},
    () => writeFileSync(join(folder, 'metrics.jsonl'), firstLines()),
    () => endTrackedRun(folder),
  ]);
  expect(keeper.lines).toHaveLength(4);
});

test('a run that is going on stays open when it is sent once', async () => {
  writeTrackedRun(folder, 2, false);
  const release = lockFolder(folder);
  const { keeper, told } = await follow([], { follow: false });
  release();
  expect(keeper.ended).toBe(null);
  expect(told.join()).toContain('still going on');
});

test('a run that is cut to a checkpoint and gone on with sends no line again', async () => {
  writeTrackedRun(folder, 4, false);
  const log = join(folder, 'metrics.jsonl');
  const upToTwo = firstLines() + stepLines(1) + stepLines(2);
  const { keeper } = await follow([
    // As --resume does it; and the steps behind it are made again, to the bit.
    () => replaceFile(log, upToTwo),
    () => appendToLog(folder, stepLines(3) + stepLines(4) + stepLines(5)),
    () => {
      appendToLog(folder, stepLines(6));
      endTrackedRun(folder);
    },
  ]);
  expect(keeper.calls).toEqual([4 + 4 + 2, 1, 2]);
  expect(keeper.numbers).toEqual(loggedNumbers(folder));
});

test('evaluations of one step are told apart by their order', () => {
  writeTrackedRun(folder, 2, false);
  appendToLog(folder, stepLines(2).split('\n').slice(1).join('\n'));
  const lines = new RunLineReader(folder, 0)
    .read()
    .filter(({ kind, step }) => kind === 'evaluation' && step === 2);
  expect(lines.map(({ occurrence }) => occurrence)).toEqual([1, 2]);
});

test('the time of a line is when the run began, and the seconds of its steps', () => {
  writeTrackedRun(folder, 2, false);
  const lines = new RunLineReader(folder, 5000).read();
  const seconds = (step: number) =>
    lines.find((line) => line.kind === 'step' && line.step === step)?.values.get('time/total') ?? NaN;
  expect(lines.map(({ time }) => time)).toEqual([
    ...Array<number>(4).fill(5000),
    Math.round(5000 + 1000 * seconds(1)),
    ...Array<number>(2).fill(Math.round(5000 + 1000 * (seconds(1) + seconds(2)))),
  ]);
});

test.each([
  ['{"step":1', /metrics\.jsonl, line 5: .*JSON/],
  ['[1]', /line 5: a line must be an object of numbers/],
  ['{"reward":1}', /line 5: it has no "step"/],
  ['{"step":1,"reward":"high"}', /line 5: "reward" is neither a number nor null/],
])('a line that can’t be read is named: %s', (line, message) => {
  writeTrackedRun(folder, 0, false);
  appendToLog(folder, `${line}\n`);
  expect(() => new RunLineReader(folder, 0).read()).toThrow(message);
});

test('a state that can’t be read is not guessed at', async () => {
  writeTrackedRun(folder, 1);
  await follow([]);
  writeFileSync(join(stateFolder(folder, 'keeper', 'here'), 'state.json'), '{');
  await expect(follow([])).rejects.toThrow(
    /state\.json can't be read .* Remove it to send everything as a new run/,
  );
});
