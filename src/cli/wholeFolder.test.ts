import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBytes, type OpenFile } from '@rl-playground/engine/parts';
import { replaceFile } from '@rl-playground/run/disk';
import { UNFINISHED, writeWholeFolder } from './wholeFolder.ts';

let scratch = '';
let out = '';
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rl-playground-whole-'));
  out = join(scratch, 'out');
});
afterEach(() => rmSync(scratch, { recursive: true }));

const text = (words: string): OpenFile => openBytes(new TextEncoder().encode(words));
const files = new Map([
  ['config.json', text('{}')],
  ['onnx/model.onnx', text('graph')],
]);
const read = (name: string): string => readFileSync(join(out, name), 'utf8');

test('all files are there, and none was before the last one was written', async () => {
  const seen: (readonly string[])[] = [];
  await writeWholeFolder(out, files, () => seen.push(readdirSync(scratch)));
  expect(seen).toEqual([[`out${UNFINISHED}`], [`out${UNFINISHED}`]]);
  expect(readdirSync(scratch)).toEqual(['out']);
  expect([read('config.json'), read('onnx/model.onnx')]).toEqual(['{}', 'graph']);
});

test('one that can’t be had leaves the folder as it was, and nothing beside it', async () => {
  mkdirSync(out);
  writeFileSync(join(out, 'config.json'), 'before');
  const broken: OpenFile = { size: 3, read: () => Promise.reject(new Error('gone')) };
  const given = writeWholeFolder(out, new Map([...files, ['z', broken]]), () => undefined);
  await expect(given).rejects.toThrow('gone');
  expect(readdirSync(scratch)).toEqual(['out']);
  expect(readdirSync(out)).toEqual(['config.json']);
  expect(read('config.json')).toBe('before');
});

test('files of the same names are replaced, others stay; what an ended program left is taken away', async () => {
  mkdirSync(join(out, UNFINISHED), { recursive: true });
  writeFileSync(join(out, UNFINISHED, 'half'), 'x');
  for (const name of ['config.json', 'mine.txt']) writeFileSync(join(out, name), 'before');
  await writeWholeFolder(out, files, () => undefined);
  expect(readdirSync(scratch)).toEqual(['out']);
  expect(readdirSync(out).toSorted()).toEqual(['config.json', 'mine.txt', 'onnx']);
  expect([read('config.json'), read('mine.txt')]).toEqual(['{}', 'before']);
});

test('what is moved into a folder that is there has its sign beside it until all of it is', async () => {
  mkdirSync(out);
  const seen: (readonly string[])[] = [];
  await writeWholeFolder(out, files, () => seen.push([...readdirSync(scratch), ...readdirSync(out)]));
  expect(seen).toEqual([
    ['out', UNFINISHED],
    ['out', UNFINISHED],
  ]);
  expect(readdirSync(out).toSorted()).toEqual(['config.json', 'onnx']);
  // A folder lies where a file is to be: the move stops there, and says so.
  mkdirSync(join(out, 'z', 'own'), { recursive: true });
  const given = writeWholeFolder(out, new Map([...files, ['z', text('z')]]), () => undefined);
  await expect(given).rejects.toThrow('could not be written');
  expect(readdirSync(out)).toContain(UNFINISHED);
});

test('a folder that is itself a link, as people have it for a second disk, stays one', async () => {
  const disk = join(scratch, 'disk');
  mkdirSync(join(disk, 'exports'), { recursive: true });
  symlinkSync(join(disk, 'exports'), out);
  await writeWholeFolder(out, files, () => undefined);
  expect(lstatSync(out).isSymbolicLink()).toBe(true);
  expect(readdirSync(disk)).toEqual(['exports']);
  expect([read('config.json'), read('onnx/model.onnx')]).toEqual(['{}', 'graph']);
});

test('nothing goes through a link that lies in the folder', async () => {
  const elsewhere = join(scratch, 'elsewhere');
  mkdirSync(elsewhere);
  mkdirSync(out);
  symlinkSync(elsewhere, join(out, 'onnx'));
  await expect(writeWholeFolder(out, files, () => undefined)).rejects.toThrow('is a link');
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(readdirSync(scratch).toSorted()).toEqual(['elsewhere', 'out']);
  expect(readdirSync(out)).toEqual(['onnx']);
});

test('what can’t be written is said with its path', () => {
  expect(() => replaceFile('/dev/full', 'x')).toThrow(
    '/dev/full could not be written: no space is left on the disk (ENOSPC)',
  );
});
