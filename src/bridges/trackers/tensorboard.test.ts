import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  doubleOf,
  inside,
  messages,
  readEventFile,
  scalarsOf,
  slowCrc32c,
  textOf,
  wireFields,
} from '../testing/eventFiles.ts';
import {
  appendToLog,
  loggedNumbers,
  stepLines,
  TRACKED_CONFIG,
  writeTrackedRun,
} from '@rl-playground/run/testing/trackedRuns';
import { deliver } from './deliver.ts';
import { crc32c } from '@rl-playground/engine/parts';
import { maskedCrc32c, record, scalarsEvent } from './eventFile.ts';
import { stateFolder, TrackState } from './state.ts';
import { tensorBoardTracker } from './tensorboard.ts';
import { flatSettings } from './tracker.ts';

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('an event file', () => {
  test('has the sums of CRC-32C that RFC 3720 and its check value give', () => {
    expect(crc32c(ascii('123456789'))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => 31 - i))).toBe(0x113fdb5c);
    const long = Uint8Array.from({ length: 999 }, (_, i) => (i * i + 7 * i) % 256);
    expect(crc32c(long)).toBe(slowCrc32c(long));
  });

  test('masks them: 0xe3069283 turned right by 15 bits is 0x2507c60d, and the constant is added', () => {
    expect(maskedCrc32c(ascii('123456789'))).toBe((0x2507c60d + 0xa282ead8) % 2 ** 32);
  });

  test('is made of records and messages by hand', () => {
    // Length 3, its sum, "abc", its sum.
    const abc = record(ascii('abc'));
    expect(hex(abc.subarray(0, 8))).toBe('0300000000000000');
    expect(hex(abc.subarray(12, 15))).toBe('616263');
    expect(abc).toHaveLength(19);
    // wall_time 1.5: 09 and a double; step 7: 10 07; summary of 11 bytes: 2a 0b; value of 9: 0a 09; tag "ab": 0a 02; simple_value 0.5: 15 and a float.
    const event = scalarsEvent(1.5, 7, [['ab', 0.5]]);
    expect(hex(event.subarray(12, -4))).toBe('09000000000000f83f10072a0b0a090a026162150000003f');
    // A step below zero has ten bytes, of its 64-bit two's complement.
    expect(hex(scalarsEvent(0, -2, []).subarray(21, 32))).toBe('10feffffffffffffffff01');
  });
});

describe('a run in TensorBoard', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tensorboard-'));
    writeTrackedRun(folder, 4);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const open = () => {
    const kept = stateFolder(folder, 'tensorboard', 'here');
    const state = TrackState.open(folder, kept, { destination: 'here', place: {} });
    const run = { name: 'one', settings: flatSettings(TRACKED_CONFIG) };
    return { state, tracker: tensorBoardTracker(join(folder, 'tensorboard'), run, state) };
  };
  const delivery = () => ({ folder, follow: false, writer: null, say: () => {} });
  const send = async (): Promise<number> => {
    const { state, tracker } = open();
    return deliver(tracker, state, delivery());
  };
  const path = (): string => {
    const names = readdirSync(join(folder, 'tensorboard'));
    expect(names).toEqual([expect.stringMatching(/^events\.out\.tfevents\.\d{10}\.rl-playground\.\w+$/)]);
    return join(folder, 'tensorboard', names[0] ?? '');
  };
  const floats = (): [string, number][] =>
    loggedNumbers(folder).map(([name, value]) => [name, Math.fround(value)]);

  test('has every number of the log once, under its name', async () => {
    expect(await send()).toBe(10);
    const numbers = floats();
    expect(numbers.map(([name]) => name)).toEqual(
      expect.arrayContaining(['sft/loss@-2', 'sft/loss@0', 'optim/loss@1', 'reward@4', 'eval/pass@8@4']),
    );
    expect(scalarsOf(readFileSync(path()))).toEqual(numbers);
    expect(readEventFile(readFileSync(path()))[0]).toMatchObject({ version: 'brain.Event:2', step: 0 });
  });

  test('has the settings as a text and as hyperparameters, and how it ended', async () => {
    await send();
    const values = readEventFile(readFileSync(path())).flatMap((event) => event.values);
    const named = (name: string) => values.find((value) => textOf(inside(value, 1)[0] ?? 0n) === name) ?? [];
    const text = messages(named('settings/text_summary'), 8)[0] ?? [];
    expect(textOf(inside(text, 8)[0] ?? 0n)).toContain('| warmStartSteps | 3 |');
    const plugin = (name: string) => {
      const data = messages(messages(named(name), 9)[0] ?? [], 1)[0] ?? [];
      expect(textOf(inside(data, 1)[0] ?? 0n)).toBe('hparams');
      return wireFields(inside(data, 2)[0] as Uint8Array);
    };
    const start = messages(plugin('_hparams_/session_start_info'), 3)[0] ?? [];
    const settings = new Map(
      messages(start, 1).map((entry) => [textOf(inside(entry, 1)[0] ?? 0n), messages(entry, 2)[0] ?? []]),
    );
    expect(doubleOf(inside(settings.get('warmStartSteps') ?? [], 2)[0] ?? 0n)).toBe(3);
    expect(textOf(inside(settings.get('task') ?? [], 3)[0] ?? 0n)).toBe('gcd');
    expect(settings.size).toBe(flatSettings(TRACKED_CONFIG).size);
    const end = messages(plugin('_hparams_/session_end_info'), 4)[0] ?? [];
    expect(inside(end, 1)).toEqual([1n]);
  });

  test('goes on where it was ended, over what a killed process had half written', async () => {
    await send();
    const whole = readFileSync(path());
    appendFileSync(path(), whole.subarray(12, 90));
    expect(() => readEventFile(readFileSync(path()))).toThrow(/wrong sum|Offset is outside/);
    appendToLog(folder, stepLines(5) + stepLines(6));
    expect(await send()).toBe(3);
    expect(scalarsOf(readFileSync(path()))).toEqual(floats());
    expect(await send()).toBe(0);
    expect(scalarsOf(readFileSync(path()))).toEqual(floats());
  });

  test('is written anew where its file is gone', async () => {
    await send();
    rmSync(join(folder, 'tensorboard'), { recursive: true });
    expect(await send()).toBe(10);
    expect(scalarsOf(readFileSync(path()))).toEqual(floats());
  });
});
