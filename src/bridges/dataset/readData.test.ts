/** Rows from files and from a server with the Hub's paths: which files, which columns, which part, and what is said where there are none. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '@rl-playground/base/secret';
import { RANGE_BYTES, openBytes } from '@rl-playground/engine/parts';
import { datasetText, parseDatasetAddress, sourceOnHub } from './hubDataset.ts';
import { partOf, type DataFile } from './parts.ts';
import { parseColumnNames } from '@rl-playground/tasks/parts';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import {
  CHOICES_PARQUET,
  MISSING_PARQUET,
  NUMBERS_PARQUET,
  OTHER_PARQUET,
  TEST_PARQUET,
  TRAIN_PARQUET,
  VERL_PARQUET,
  VERL_PARQUET_2,
  ZSTD_PARQUET,
} from '../testing/parquetFiles.ts';
import { datasetRows, rowsOfSource, sourceOfFiles } from './readData.ts';

const CATS = [1, 2, 3].map((n) => ({
  question: `How many legs have ${n} cats?`,
  answer: `Each has 4, so ${n} have ${n}*4 = <<${n}*4=${n * 4}>>${n * 4}.\n#### ${n * 4}`,
}));
const SPIDERS = { question: 'How many legs have 250 spiders? ("eight" each)', answer: '#### 2,000' };

/** A parquet file of more than one range, with nothing between its columns and its footer, which says where they are. */
function large(parquet: Uint8Array): Uint8Array {
  const footer = new DataView(parquet.buffer, parquet.byteOffset).getUint32(parquet.length - 8, true) + 8;
  const bytes = new Uint8Array(parquet.length + RANGE_BYTES);
  bytes.set(parquet.subarray(0, parquet.length - footer));
  bytes.set(parquet.subarray(parquet.length - footer), bytes.length - footer);
  return bytes;
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;
const file = (name: string, content: string | Uint8Array): DataFile => ({
  name,
  file: openBytes(bytesOf(content)),
});

describe('files of the user', () => {
  it('may be parquet, their names say which part they are, and bad rows are listed', async () => {
    const source = sourceOfFiles([
      file('train-00000-of-00001.parquet', TRAIN_PARQUET),
      file('test.parquet', TEST_PARQUET),
    ]);
    const read = await rowsOfSource(source);
    expect(datasetRows(read)).toMatchObject({ train: CATS, test: [SPIDERS] });
    expect(read.bad).toEqual([{ line: 2, message: 'has no answer that is text or a number' }]);
    expect(read.origin).toMatchObject({ source: 'train-00000-of-00001.parquet, test.parquet', commit: null });
  });

  it('may be JSONL, JSON or CSV with columns of other names, which are told or given', async () => {
    const lines =
      '{"problem":"1 + 1?","final":2,"hint":"Add."}\n{"problem":"2 + 2?","final":4,"hint":"Too."}\n';
    const source = sourceOfFiles([file('mine.jsonl', lines)]);
    await expect(rowsOfSource(source)).rejects.toThrow(
      /mine\.jsonl: 3 columns were found \("problem", "final", "hint"\)/,
    );
    await expect(rowsOfSource(source, parseColumnNames('answer=result'))).rejects.toThrow(
      /no column "result" for the answer\. The columns are "problem", "final", "hint"\./,
    );
    const { rows } = await rowsOfSource(source, parseColumnNames('answer=final,system=hint'));
    expect(rows[1]).toEqual({ question: '2 + 2?', answer: '4', system: 'Too.' });
    const csv = await rowsOfSource(sourceOfFiles([file('a.csv', 'q,a\nx,1\ny,2\n')]), {
      question: 'q',
      answer: 'a',
    });
    expect(csv.rows).toEqual([
      { question: 'x', answer: '1' },
      { question: 'y', answer: '2' },
    ]);
    expect((await rowsOfSource(sourceOfFiles([file('other.parquet', OTHER_PARQUET)]))).rows).toEqual([
      { question: 'a', answer: 'b' },
    ]);
    expect(() => parseColumnNames('answer')).toThrow(/question=COLUMN,answer=COLUMN/);
  });

  it.each([
    ['pages of the first version', VERL_PARQUET],
    ['pages of the second', VERL_PARQUET_2],
  ])('may hold messages and objects, in %s', async (_, bytes) => {
    const read = await rowsOfSource(sourceOfFiles([file('verl.parquet', bytes)]));
    expect(read.rows).toEqual([
      {
        question: '2+2?',
        answer: '4',
        system: 'Be brief.',
        earlier: [
          { role: 'user', content: '1+1?' },
          { role: 'assistant', content: '2' },
        ],
      },
      { question: '3+3?', answer: '6' },
    ]);
    expect(read.bad).toEqual([{ line: 3, message: 'has no question that is text or a number' }]);
    expect(read.taken).toBe(
      'the question from the last turn of the user in “prompt”, the answer from “reward_model.ground_truth”.',
    );
  });

  it.each([
    ['float', ['0.1', '3.14', '16777216']],
    ['decimal', ['3.10', '-0.05', '1200.00']],
    ['whole', ['9007199254740993', '1', '-9007199254740993']],
  ])('keep the text of numbers in a column of kind %s', async (answer, texts) => {
    const { rows } = await rowsOfSource(sourceOfFiles([file('n.parquet', NUMBERS_PARQUET)]), { answer });
    expect(rows.map((row) => row.answer)).toEqual(texts);
  });

  it('may lack values, and may hold lists of choices', async () => {
    const { rows, bad } = await rowsOfSource(sourceOfFiles([file('a.parquet', MISSING_PARQUET)]));
    expect(rows.map(({ answer }) => answer)).toEqual(Array.from({ length: 30 }, (_, i) => `a${(2 * i) % 3}`));
    expect(bad.map(({ line }) => line)).toEqual(Array.from({ length: 30 }, (_, i) => 2 * i + 2));
    const choices = await rowsOfSource(sourceOfFiles([file('c.parquet', CHOICES_PARQUET)]));
    expect(choices.rows).toHaveLength(40);
    expect(choices.rows[6]).toEqual({ question: 'q6\n\nA. 6a\nB. b\nC. c\nD. d', answer: 'C' });
    expect(choices.choices).toBe(4);
  });

  it.each([
    ['zstd.parquet', ZSTD_PARQUET, /zstd\.parquet.*can't be read.*JSONL/i],
    ['cut.parquet', TRAIN_PARQUET.slice(0, 200), /cut\.parquet.*can't be read/],
    ['empty.jsonl', '', /empty\.jsonl: There is nothing to read/],
    ['bad.jsonl', '{"question":"","answer":""}', /0 of 1 rows can be used.*line 1 has an empty question/],
  ])('%s is refused with what is wrong', async (name, content, message) => {
    await expect(rowsOfSource(sourceOfFiles([file(name, content)]))).rejects.toThrow(message);
  });

  it('of one part alone are rows like any others; a validation part stands in for a missing test part', async () => {
    const paths = ['data/main/test-0.parquet', 'gsm8k_TRAIN.jsonl', 'latest.jsonl', 'dev/rows.jsonl'];
    expect(paths.map(partOf)).toEqual(['test', 'train', null, 'validation']);
    const parts = (names: readonly string[]) =>
      sourceOfFiles(names.map((name) => file(name, ''))).files.map(({ name, test }) => `${name} ${test}`);
    expect(parts(['test.jsonl'])).toEqual(['test.jsonl false']);
    expect(parts(['train.csv', 'val.csv'])).toEqual(['train.csv false', 'val.csv true']);
    expect(parts(['a.csv', 'val.csv', 'test.csv'])).toEqual(['a.csv false', 'test.csv true']);
  });
});

describe('the Hub', () => {
  const commit = 'e'.repeat(40);
  let hub: HubServer;
  beforeAll(async () => {
    const parquet = { commit, files: new Map<string, Uint8Array>() };
    for (const folder of ['main', 'socratic'])
      parquet.files
        .set(`${folder}/train-00000-of-00001.parquet`, TRAIN_PARQUET)
        .set(`${folder}/test-00000-of-00001.parquet`, TEST_PARQUET);
    parquet.files.set('README.md', new Uint8Array(3));
    hub = await startHub({
      'datasets/openai/gsm8k': parquet,
      'datasets/test/large': { commit, files: new Map([['rows.parquet', large(TRAIN_PARQUET)]]) },
      'datasets/test/two': {
        commit,
        token: 'hf_right',
        files: new Map([
          ['en/rows.jsonl', bytesOf('{"question":"a","answer":"b"}')],
          ['de/rows.jsonl', bytesOf('{"question":"c","answer":"d"}')],
        ]),
      },
    });
  });
  afterAll(() => hub.close());
  afterEach(() => void hub.ranges.splice(0));

  const source = (text: string, more: { secret?: Secret; signal?: AbortSignal } = {}) => {
    const address = parseDatasetAddress(text);
    if (address === null) throw new Error(`${text} is no address.`);
    return sourceOnHub(address, { hubUrl: hub.url, wait: () => Promise.resolve(), ...more });
  };

  it('gives both parts of the usual folder, tells how far it is, and is named with its commit', async () => {
    const progress: { done: number; total: number }[] = [];
    const address = parseDatasetAddress('hub:openai/gsm8k');
    if (address === null) throw new Error('It is no address.');
    const found = await sourceOnHub(address, { hubUrl: hub.url, onProgress: (each) => progress.push(each) });
    expect(hub.ranges).toEqual([]);
    const read = await rowsOfSource(found);
    expect(datasetRows(read)).toMatchObject({ train: CATS, test: [SPIDERS] });
    expect(read.origin).toMatchObject({ source: 'hub:openai/gsm8k', commit });
    const total = TRAIN_PARQUET.length + TEST_PARQUET.length;
    expect(progress.at(-1)).toEqual({ done: total, total });
    expect(hub.ranges.map(({ path }) => path).sort()).toEqual([
      'main/test-00000-of-00001.parquet',
      'main/train-00000-of-00001.parquet',
    ]);
    // The same rows have the same hash, wherever they lie.
    const again = await rowsOfSource(await source(`openai/gsm8k@${commit}:socratic`));
    expect(again.origin).toEqual({
      source: `hub:openai/gsm8k@${commit}:socratic`,
      commit,
      sha256: read.origin.sha256,
    });
    const train = await rowsOfSource(await source('hub:openai/gsm8k:main/train'));
    expect(datasetRows(train)).toMatchObject({ train: CATS, test: [] });
  });

  it('says which folders there are, what is gated, and what has no rows', async () => {
    await expect(source('test/two')).rejects.toThrow(/401.*private or gated.*Give a token/);
    const secret = new Secret('hf_right', hub.url);
    await expect(source('hub:test/two', { secret })).rejects.toThrow(
      /2 folders \(.*en.*\)\. Name one after a colon: hub:test\/two:/,
    );
    expect((await rowsOfSource(await source('test/two:de', { secret }))).rows).toEqual([
      { question: 'c', answer: 'd' },
    ]);
    await expect(source('test/two:fr', { secret })).rejects.toThrow(
      /none of its 2 files under "fr" holds rows.*folders are en, de/,
    );
  });

  it('that is broken off, or left by the person, gives its reason', async () => {
    hub.fail('main/train-00000-of-00001.parquet', { kind: 'status', status: 503 }, 5);
    await expect(rowsOfSource(await source('hub:openai/gsm8k'))).rejects.toThrow(/503, 5 times in a row/);
    const controller = new AbortController();
    const stopped = await source('hub:openai/gsm8k', { signal: controller.signal });
    controller.abort(new Error('stopped by a person'));
    await expect(rowsOfSource(stopped)).rejects.toThrow('stopped by a person');
  });

  it('is asked for ranges of a large parquet file: its footer and the columns that are needed', async () => {
    const read = await rowsOfSource(await source('test/large'));
    expect(read.rows).toEqual(CATS);
    const fetched = hub.ranges.reduce((sum, { begin, end }) => sum + end - begin, 0);
    expect(fetched).toBeLessThan(2 ** 20);
  });

  it('is named by an address that reads back as itself', () => {
    for (const text of ['openai/gsm8k', 'a/b@v1', 'a/b@v1:data/train', 'a/b:x.jsonl']) {
      const address = parseDatasetAddress(text);
      expect(address && datasetText(address)).toBe(`hub:${text}`);
    }
    expect(parseDatasetAddress('gsm8k')).toBeNull();
    expect(parseDatasetAddress('hub:https://example.org/x')).toBeNull();
  });
});
