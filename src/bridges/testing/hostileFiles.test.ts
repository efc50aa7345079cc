import { describe, expect, it } from 'vitest';
import { readSettings } from '../settings/read.ts';
import { configFromQuery } from '@rl-playground/run/settings';
import { openBytes } from '@rl-playground/engine/parts';
import { openedFiles } from '@rl-playground/run/session/onDevice';
import { rowsOfSource, sourceOfFiles } from '../dataset/readData.ts';
import { hostileLink, hostileSettings, hostileTables, hostileZips } from './hostileFiles.ts';

/** Bytes of all together. */
const MOST_BYTES = 1_000_000;
const NOBODY = {
  adoptCustomTasks: () => Promise.resolve(),
  sftFiles: { find: () => null, adopt: () => Promise.resolve() },
};

const ZIPS = hostileZips();
const TABLES = hostileTables();
const SETTINGS = hostileSettings();

describe('hostile files', () => {
  it.each(ZIPS)('$name is refused with what is wrong', async ({ name, bytes, says }) => {
    const file = new File([new Uint8Array(bytes)], name);
    await expect(openedFiles([{ path: name, file }], NOBODY)).rejects.toThrow(says);
  });

  it.each(TABLES)('$name is refused with what is wrong', async ({ name, bytes, says }) => {
    await expect(rowsOfSource(sourceOfFiles([{ name, file: openBytes(bytes) }]))).rejects.toThrow(says);
  });

  it.each(SETTINGS)('$name is refused with what is wrong', ({ bytes, says }) => {
    const result = readSettings(new TextDecoder().decode(bytes));
    expect(result.ok ? 'it was read' : result.errors.join('\n')).toMatch(says);
  });

  it('a link of them is told in few words', () => {
    const { errors } = configFromQuery(hostileLink());
    expect(errors).toHaveLength(11);
    expect(errors.at(-1)).toBe('9,990 more words of the link: no settings, or given more than once.');
  });

  it('take less than a megabyte together', () => {
    const sizes = [...ZIPS, ...TABLES, ...SETTINGS].map(({ bytes }) => bytes.length);
    expect(sizes.reduce((sum, size) => sum + size, hostileLink().length)).toBeLessThan(MOST_BYTES);
  });
});
