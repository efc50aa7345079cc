import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 as zlibCrc32 } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crc32 } from './crc32.ts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { opened, zipBytes } from '../testing/zips.ts';
import { filesAtPath } from './filesInNode.ts';
import { joined, openBytes } from './openFiles.ts';
import { OpenFolder } from './openFolder.ts';
import type { OpenFile } from './types.ts';
import { zipPieces, zipSize } from './zipWriter.ts';

const noise = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(length));

describe('a checksum', () => {
  it('is that of zlib, also in parts', () => {
    const bytes = noise(1000);
    expect(crc32(bytes)).toBe(zlibCrc32(bytes));
    expect(crc32(bytes.subarray(333), crc32(bytes.subarray(0, 333)))).toBe(zlibCrc32(bytes));
    expect(crc32(new Uint8Array())).toBe(0);
  });
});

describe('files as one', () => {
  it('are read across their borders', async () => {
    const parts = [3, 0, 5, 1, 7].map(noise);
    const whole = Buffer.concat(parts);
    const file = joined(parts.map(openBytes));
    expect(file.size).toBe(16);
    for (let begin = 0; begin <= 16; begin++)
      for (let end = begin; end <= 16; end++)
        expect([...(await file.read(begin, end))]).toEqual([...whole.subarray(begin, end)]);
  });
});

/** A file of zeros that takes no memory. */
function zeros(size: number): OpenFile {
  const some = new Uint8Array(4 * 2 ** 20);
  return { size, read: (begin, end) => Promise.resolve(some.subarray(0, end - begin)) };
}

/** A zip's entries as Python's zipfile reads them: name, size, whether its checksum is right. */
const PYTHON = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    names = archive.infolist()
    broken = archive.testzip() if len(sys.argv) > 2 else None
    print(json.dumps([len(names), names[-1].filename, names[-1].file_size, names[-1].header_offset, broken]))
`;

const found = (program: string, ...words: string[]): string | null => {
  try {
    return execFileSync(program, words, { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: 'pipe' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};

describe('a zip', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rl-playground-zip-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function written(files: ReadonlyMap<string, OpenFile>): Promise<string> {
    const path = join(folder, 'a.zip');
    await pipeline(Readable.from(zipPieces(files)), createWriteStream(path));
    expect(statSync(path).size).toBe(zipSize(files));
    return path;
  }

  it('has the bytes that another writer of stored zips gives', async () => {
    const files = new Map([
      ['config.json', noise(10)],
      ['adapter/é.bin', noise(5 * 2 ** 20)],
      ['empty', new Uint8Array()],
    ]);
    const other = zipSync(Object.fromEntries(files), { level: 0, mtime: new Date(1980, 0, 1) });
    expect(Buffer.compare(await zipBytes(opened(files)), other)).toBe(0);
    expect(Buffer.compare(await zipBytes(new Map()), zipSync({}))).toBe(0);
  });

  it('says of a file that gives other bytes than announced that nothing is saved', async () => {
    const file: OpenFile = { size: 9, read: () => Promise.resolve(new Uint8Array(4)) };
    await expect(zipBytes(new Map([['a', file]]))).rejects.toThrow(/9 bytes gave 4 bytes/);
  });

  it('of more files than 16 bits count is ZIP64, for us, Python and unzip', async () => {
    const files = new Map(Array.from({ length: 65_600 }, (_, i) => [`${i}.txt`, openBytes(noise(1))]));
    const path = await written(files);
    const read = await filesAtPath(path);
    expect(read.names).toHaveLength(65_600);
    const last = await new OpenFolder(read).read('65599.txt');
    expect(last).toEqual(await files.get('65599.txt')?.read(0, 1));
    // Its 65,600 checksums are read in the whole proof alone: the writer makes them for two files as for many.
    const python = found('python3', '-c', PYTHON, path, ...(everyProof ? ['test'] : []));
    if (python) expect(JSON.parse(python)).toEqual([65_600, '65599.txt', 1, expect.any(Number), null]);
    if (everyProof) expect(found('unzip', '-tqq', path) ?? '').toBe('');
    const header = found('unzip', '-Zh', path);
    if (header !== null) expect(header).toMatch(/: 65600\s/);
  });

  // The proof writes 8.6 GB.
  it.skipIf(!everyProof)('beyond 4 GiB is ZIP64: a file of more, and one that begins behind it', async () => {
    const size = 2 ** 32 + 12_345;
    const tail = noise(1000);
    const files = new Map([
      ['small.bin', openBytes(tail)],
      ['zeros.bin', zeros(size)],
      ['more.bin', zeros(2 ** 32 - 2)],
      ['tail.bin', openBytes(tail)],
    ]);
    const path = await written(files);
    const read = await filesAtPath(path);
    expect(read.names).toEqual([...files.keys()]);
    expect(await new OpenFolder(read).read('tail.bin')).toEqual(tail);
    expect((await read.open('zeros.bin'))?.size).toBe(size);
    const python = found('python3', '-c', PYTHON, path, 'test');
    if (python) expect(JSON.parse(python)).toEqual([4, 'tail.bin', 1000, expect.any(Number), null]);
    const listed = found('unzip', '-l', path);
    if (listed !== null) expect(listed).toContain(`${size}  1980-01-01 00:00   zeros.bin`);
    expect(found('unzip', '-tqq', path) ?? '').toBe('');
  });

  it('has headers of ZIP64 for what would lie beyond 4 GiB', async () => {
    const size = 2 ** 32 + 5;
    const file: OpenFile = { size, read: () => Promise.reject(new Error('read')) };
    // Sizes alone: the layout is made before anything is read.
    const files = new Map([
      ['a', file],
      ['b', openBytes(noise(3))],
    ]);
    const local = 30 + 1 + 20 + size + (30 + 1 + 3);
    const directory = 46 + 1 + 20 + (46 + 1 + 12);
    expect(zipSize(files)).toBe(local + directory + 56 + 20 + 22);
    await expect(zipPieces(files).next()).rejects.toThrow('read');
  });
});
