import { deflateSync, strToU8, zipSync, type Zippable } from 'fflate';
import { describe, expect, it } from 'vitest';
import { crc32 } from './crc32.ts';
import { OpenFolder } from './openFolder.ts';
import { openBlob } from './openFiles.ts';
import type { OpenFile } from './types.ts';
import { filesChosen } from './singleFile.ts';
import { filesInZip } from './zipFiles.ts';
import { looseZip, type LooseFile } from '../testing/looseZip.ts';

const zipOf = (contents: Zippable, level: 0 | 9 = 0): Uint8Array<ArrayBuffer> =>
  new Uint8Array(zipSync(contents, { level }));

/** A file that says which of its bytes were read. */
function watched(bytes: Uint8Array<ArrayBuffer>): OpenFile & { readonly reads: [number, number][] } {
  const reads: [number, number][] = [];
  const file = openBlob(new Blob([bytes]));
  return {
    size: file.size,
    reads,
    read: (begin, end) => {
      reads.push([begin, end]);
      return file.read(begin, end);
    },
  };
}

const WEIGHTS = Uint8Array.from({ length: 5000 }, (_, i) => (i * i) % 251);

describe('filesInZip', () => {
  it.each([0, 9] as const)(
    'finds what is in it, compressed at level %i, in a folder or not',
    async (level) => {
      for (const top of ['', 'my-model/']) {
        const contents = {
          'config.json': strToU8('{}'),
          'adapter/é.bin': WEIGHTS,
          '__MACOSX/x': WEIGHTS,
        };
        const named = Object.fromEntries(
          Object.entries(contents).map(([name, bytes]) => [name.startsWith('__') ? name : top + name, bytes]),
        );
        const files = await filesInZip('a.zip', watched(zipOf(named, level)));
        expect(files.names).toEqual(['config.json', 'adapter/é.bin']);
        expect(await new OpenFolder(files).read('adapter/é.bin')).toEqual(WEIGHTS);
        expect(await new OpenFolder(files).read('config.json')).toEqual(strToU8('{}'));
        expect(await files.open('nothing')).toBeNull();
      }
    },
  );

  it('reads a piece of a stored file and no more', async () => {
    const zip = watched(zipOf({ 'a.bin': WEIGHTS, 'b.bin': WEIGHTS.slice().reverse() }));
    const file = await (await filesInZip('a.zip', zip)).open('b.bin');
    zip.reads.length = 0;
    expect(await file?.read(100, 110)).toEqual(WEIGHTS.slice().reverse().subarray(100, 110));
    expect(zip.reads.map(([begin, end]) => end - begin)).toEqual([10]);
  });

  it('reads ZIP64 numbers, in the end record and beside a file', async () => {
    const zip = await filesInZip('a.zip', watched(zip64('big.bin', WEIGHTS)));
    expect(zip.names).toEqual(['big.bin']);
    expect(await new OpenFolder(zip).read('big.bin')).toEqual(WEIGHTS);
  });

  const whole = zipOf({ 'config.json': strToU8('{}'), 'a.bin': WEIGHTS }, 9);
  it.each<[string, Uint8Array<ArrayBuffer>]>([
    ['no zip', strToU8('not a zip, but some text of some length') as Uint8Array<ArrayBuffer>],
    ['nothing', new Uint8Array()],
    ['cut at the end', whole.slice(0, -30)],
    ['cut at the beginning', whole.slice(60)],
  ])('refuses %s', async (_, bytes) => {
    const read = async (): Promise<unknown> => {
      const files = await filesInZip('a.zip', watched(bytes));
      return new OpenFolder(files).read('a.bin');
    };
    await expect(read()).rejects.toThrow(/^a\.zip is no (whole )?zip file: /);
  });

  it('refuses a compressed file whose bytes are damaged', async () => {
    const bytes = whole.slice();
    bytes.fill(0xff, 90, 100);
    const files = await filesInZip('a.zip', watched(bytes));
    await expect(files.open('a.bin')).rejects.toThrow(/a\.bin can't be unpacked/);
  });
});

const text = (words: string): Uint8Array => strToU8(words);
const opened = (bytes: Uint8Array<ArrayBuffer>, mostUnpacked?: number) =>
  filesInZip('a.zip', watched(bytes), mostUnpacked);

describe('a zip that contradicts itself', () => {
  const plain: LooseFile = { name: 'a.bin', bytes: WEIGHTS };
  const other: LooseFile = { name: 'b.bin', bytes: text('b') };
  const packed: LooseFile = {
    name: 'a.bin',
    bytes: deflateSync(WEIGHTS),
    method: 8,
    size: WEIGHTS.length,
    sum: crc32(WEIGHTS),
  };

  it('is read where it does not', async () => {
    for (const file of [plain, packed]) {
      const files = await opened(looseZip([file, other]));
      expect(await new OpenFolder(files).read('a.bin')).toEqual(WEIGHTS);
      expect(await new OpenFolder(files).read('b.bin')).toEqual(text('b'));
    }
  });

  it.each<[what: string, zip: Uint8Array<ArrayBuffer>, says: RegExp]>([
    ['two names', looseZip([{ ...plain, inHeader: { name: 'c.bin' } }]), /is named "c\.bin"/],
    ['two sizes', looseZip([{ ...packed, inHeader: { size: 4 } }]), /differ: there it has 4 bytes/],
    ['two sums', looseZip([{ ...plain, inHeader: { sum: 4 } }]), /another check sum/],
    ['two methods', looseZip([{ ...packed, inHeader: { method: 0 } }]), /packed otherwise/],
    ['two counts', looseZip([plain, other], 3), /lists 2 files, and its end says 3/],
    ['a stored file of two sizes', looseZip([{ ...plain, size: 6000 }]), /has 6000 bytes, but takes 5000/],
    [
      'bytes of two files',
      looseZip([packed, { ...packed, at: 0, name: 'a.bin' }]),
      /goes on to byte \d+, and at byte 0/,
    ],
    [
      'a file within another',
      looseZip([
        { ...plain, bytes: looseZip([other]) },
        { ...other, at: 35 },
      ]),
      /a\.bin goes on to byte/,
    ],
    [
      'a file in its directory',
      looseZip([
        { ...plain, bytes: text('x'), size: 90, inDirectory: { stored: 90 }, inHeader: { stored: 90 } },
      ]),
      /goes on to byte/,
    ],
    ['one name twice', looseZip([plain, { ...other, name: 'a.bin' }]), /two files in it are named "a\.bin"/],
    ['an impossible size', looseZip([{ ...packed, size: 1e9 }]), /more than \d+ bytes can unpack to/],
  ])('%s: it is refused before a file is read', async (_, zip, says) => {
    await expect(opened(zip)).rejects.toThrow(says);
  });

  it.each(['../a', 'a/../../b', '/etc/passwd', 'a\\b', 'C:/x', './a', 'a//b', 'a\0'])(
    'has a file named %j, which is no path inside it',
    async (name) => {
      await expect(opened(looseZip([plain, { ...other, name }]))).rejects.toThrow(/no plain path inside it/);
    },
  );

  it('or whose bytes were changed gives nothing of that file, and the others', async () => {
    const bytes = looseZip([plain, other]);
    bytes[1000] = (bytes[1000] ?? 0) ^ 4;
    const files = await opened(bytes);
    await expect(files.open('a.bin')).rejects.toThrow(
      /a\.bin have the CRC-32 [0-9a-f]{8}, and [0-9a-f]{8} is/,
    );
    expect(await new OpenFolder(files).read('b.bin')).toEqual(text('b'));
    const wrong = await opened(looseZip([{ ...packed, sum: 1 }]));
    await expect(wrong.open('a.bin')).rejects.toThrow(/CRC-32 [0-9a-f]{8}, and 00000001 is needed/);
  });

  it('unpacks to no more than fits, all its files together', async () => {
    const two = looseZip([packed, { ...packed, name: 'b.bin' }]);
    expect((await opened(two, 10_000)).names).toHaveLength(2);
    await expect(opened(two, 9_999)).rejects.toThrow(/unpacks to 0 MB \(10000 bytes\), and at most .* fit/);
  });
});

/** A zip of one stored file with all numbers in ZIP64 records, by PKWARE's APPNOTE. */
function zip64(name: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const title = strToU8(name);
  const long = (...values: number[]) => values.flatMap((value) => [...words(value), 0, 0, 0, 0]);
  const words = (value: number) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);
  const short = (...values: number[]) => values.flatMap((value) => [value & 0xff, value >>> 8]);
  const all = 0xffffffff;
  const fileHeader = [
    ...words(0x04034b50),
    ...short(45, 0, 0, 0, 0),
    ...words(crc32(content)),
    ...words(all),
    ...words(all),
    ...short(title.length, 20, 1, 16),
  ];
  // The title lies between the lengths and the extra field.
  const local = [
    ...fileHeader.slice(0, 30),
    ...title,
    ...short(1, 16),
    ...long(content.length, content.length),
  ];
  const directory = [
    ...words(0x02014b50),
    ...short(45, 45, 0, 0, 0, 0),
    ...words(crc32(content)),
    ...words(all),
    ...words(all),
    ...short(title.length, 28, 0, 0, 0),
    ...words(0),
    ...words(all),
    ...title,
    ...short(1, 24),
    ...long(content.length, content.length, 0),
  ];
  const at = local.length + content.length;
  const record = [
    ...words(0x06064b50),
    ...long(44),
    ...short(45, 45),
    ...words(0),
    ...words(0),
    ...long(1, 1, directory.length, at),
  ];
  const locator = [...words(0x07064b50), ...words(0), ...long(at + directory.length), ...words(1)];
  const end = [
    ...words(0x06054b50),
    ...short(0, 0, 0xffff, 0xffff),
    ...words(all),
    ...words(all),
    ...short(0),
  ];
  return Uint8Array.from([...local, ...content, ...directory, ...record, ...locator, ...end]);
}

describe('filesChosen', () => {
  const config = new File(['{}'], 'config.json');

  it('takes one zip for what is in it, and other files as they are', async () => {
    const zip = new File([zipOf({ 'config.json': strToU8('{"a":1}') })], 'checkpoint');
    expect(await new OpenFolder(await filesChosen('a', [zip])).read('config.json')).toEqual(
      strToU8('{"a":1}'),
    );
    for (const chosen of [[config], [config, new File(['x'], 'tokenizer.json')]]) {
      const files = await filesChosen('b', chosen);
      expect([files.label, files.names]).toEqual(['b', chosen.map(({ name }) => name)]);
      expect(await new OpenFolder(files).read('config.json')).toEqual(strToU8('{}'));
    }
  });
});
