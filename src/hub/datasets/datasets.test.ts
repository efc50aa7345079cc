import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { DatasetRows } from '../../tasks/types.ts';
import { OTHER_PARQUET, TEST_PARQUET, TRAIN_PARQUET, ZSTD_PARQUET } from '../../testing/parquetFiles.ts';
import { joinGsm8kFiles, keptGsm8k, loadGsm8k, partOf, readGsm8kFile, type RowStore } from './gsm8k.ts';

const CATS = [1, 2, 3].map((n) => ({
  question: `How many legs have ${n} cats?`,
  answer: `Each has 4, so ${n} have ${n}*4 = <<${n}*4=${n * 4}>>${n * 4}.\n#### ${n * 4}`,
}));
const SPIDERS = { question: 'How many legs have 250 spiders? ("eight" each)', answer: '#### 2,000' };

const file = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name);

describe('a dropped file', () => {
  it('may be parquet', async () => {
    expect(await readGsm8kFile(file('train-00000-of-00001.parquet', TRAIN_PARQUET))).toEqual({
      file: 'train-00000-of-00001.parquet',
      part: 'train',
      rows: CATS,
      bad: [],
    });
    const test = await readGsm8kFile(file('test.parquet', TEST_PARQUET));
    expect(test.rows).toEqual([SPIDERS]);
    expect(test.bad).toEqual([{ line: 2, message: 'its answer is null; text is needed.' }]);
  });

  it('may be JSONL, whose bad lines are listed with what was found', async () => {
    const lines = [
      JSON.stringify({ ...SPIDERS, extra: 1 }),
      '{"question": "Half a',
      '',
      '{"question":"No answer?"}',
      '[1]',
      '{"question":"With a number?","answer":7}\r',
      '{"question":" ","answer":"7"}',
      JSON.stringify({ question: 'A line\u2028separator?', answer: '#### 1' }),
    ];
    const { rows, bad, part } = await readGsm8kFile(file('mine.jsonl', `\uFEFF${lines.join('\n')}\n`));
    expect(part).toBeNull();
    expect(rows).toEqual([
      SPIDERS,
      { question: 'With a number?', answer: '7' },
      { question: 'A line\u2028separator?', answer: '#### 1' },
    ]);
    expect(bad.map(({ line }) => line)).toEqual([2, 4, 5, 7]);
    expect(bad[0]?.message).toMatch(/no JSON.*one object per line/);
    expect(bad[1]?.message).toBe('its answer is nothing; text is needed.');
    expect(bad[2]?.message).toBe('[1] was found; an object with question and answer is needed.');
    expect(bad[3]?.message).toBe('its question is " "; text is needed.');
  });

  it.each([
    ['other.parquet', OTHER_PARQUET, /columns are prompt, answer; question is missing/],
    ['zstd.parquet', ZSTD_PARQUET, /zstd\.parquet.*can't be read.*JSONL/i],
    ['cut.parquet', TRAIN_PARQUET.slice(0, 200), /cut\.parquet.*can't be read/],
    ['prose.txt', 'Once upon a time\nthere was', /0 of 2 rows can be used.*line 1: it is no JSON/],
    ['empty.jsonl', '', /0 of 0 rows can be used; each needs a question and an answer\.$/],
  ])('%s is refused with what is wrong', async (name, content, message) => {
    await expect(readGsm8kFile(file(name, content))).rejects.toThrow(message);
  });

  it('goes to the side that its name says', async () => {
    const names = [
      'data/main/test-00000-of-00001.parquet',
      'gsm8k_TRAIN.jsonl',
      'latest.jsonl',
      'training.jsonl',
    ];
    expect(names.map(partOf)).toEqual(['test', 'train', null, null]);
    const [train, test] = [
      await readGsm8kFile(file('train.parquet', TRAIN_PARQUET)),
      await readGsm8kFile(file('test.parquet', TEST_PARQUET)),
    ];
    expect(joinGsm8kFiles([test, train])).toEqual({ train: CATS, test: [SPIDERS] });
    expect(joinGsm8kFiles([test])).toEqual({ train: [SPIDERS], test: [] });
  });
});

function memoryStore(): RowStore {
  const kept = new Map<string, DatasetRows>();
  return {
    get: (key) => Promise.resolve(kept.get(key) ?? null),
    set: async (key, rows) => void kept.set(key, rows),
  };
}

const FILES: Readonly<Record<string, Uint8Array>> = {
  'main/train-00000-of-00001.parquet': TRAIN_PARQUET,
  'main/test-00000-of-00001.parquet': TEST_PARQUET,
};

/** The Hub's interface for one dataset: the listing of its folder in pages of one entry, and the files. */
function answer(request: IncomingMessage, response: ServerResponse, host: string): void {
  const url = new URL(request.url ?? '', host);
  if (url.pathname === '/api/datasets/openai/gsm8k/tree/main/main') {
    const entries = [
      { type: 'directory', oid: 'a', size: 0, path: 'main/old' },
      ...Object.entries(FILES).map(([path, { length }]) => ({
        type: 'file',
        oid: path,
        size: length,
        path,
        lfs: { oid: path, size: length, pointerSize: 132 },
      })),
      { type: 'file', oid: 'b', size: 10, path: 'main/notes.md' },
    ];
    const at = Number(url.searchParams.get('cursor') ?? 0);
    url.searchParams.set('cursor', `${at + 1}`);
    if (at + 1 < entries.length) response.setHeader('Link', `<${url.href}>; rel="next"`);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(entries.slice(at, at + 1)));
    return;
  }
  const content = FILES[url.pathname.replace('/datasets/openai/gsm8k/resolve/main/', '')];
  response.statusCode = content === undefined ? 404 : 200;
  response.end(content);
}

describe('the Hub', () => {
  let server: Server | null = null;

  /** A server that stands for the Hub; its address and the paths it was asked for. */
  async function serve(handle: typeof answer): Promise<{ hubUrl: string; asked: string[] }> {
    const asked: string[] = [];
    let hubUrl = '';
    const started = createServer((request, response) => {
      asked.push(new URL(request.url ?? '', hubUrl).pathname);
      handle(request, response, hubUrl);
    });
    server = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    const address = started.address();
    hubUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    return { hubUrl, asked };
  }

  async function stop(): Promise<void> {
    const running = server;
    server = null;
    running?.closeAllConnections();
    await new Promise<void>((resolve) => (running === null ? resolve() : running.close(() => resolve())));
  }
  afterEach(stop);

  it('gives both parts, tells how far it is, and is asked only once', async () => {
    const { hubUrl, asked } = await serve(answer);
    const store = memoryStore();
    const progress: { done: number; total: number }[] = [];
    expect(await keptGsm8k(store)).toBeNull();
    const rows = await loadGsm8k({ hubUrl, store, onProgress: (each) => progress.push(each) });
    expect(rows).toEqual({ train: CATS, test: [SPIDERS] });
    const total = TRAIN_PARQUET.length + TEST_PARQUET.length;
    expect(progress.at(-1)).toEqual({ done: total, total });
    expect(progress.map(({ done }) => done)).toEqual(
      progress.map(({ done }) => done).toSorted((a, b) => a - b),
    );
    expect(asked.filter((path) => path.includes('resolve'))).toHaveLength(2);
    await stop();
    expect(await loadGsm8k({ hubUrl, store })).toEqual(rows);
    expect(await keptGsm8k(store)).toEqual(rows);
  });

  it('that is out of reach leads to a dropped file', async () => {
    const { hubUrl } = await serve(answer);
    await stop();
    await expect(loadGsm8k({ hubUrl, store: memoryStore() })).rejects.toThrow(
      /could not be loaded from the Hugging Face Hub.*internet.*drop the file/,
    );
  });

  it('that answers nonsense leads there too, and nothing is kept', async () => {
    const store = memoryStore();
    const cases: [typeof answer, RegExp][] = [
      [(_, response) => response.writeHead(503).end('busy'), /could not be loaded/],
      [
        (_, response) => response.setHeader('Content-Type', 'application/json').end('[]'),
        /lists 0 parquet files/,
      ],
      [
        (request, response, host) =>
          (request.url ?? '').includes('resolve') ? response.end('short') : answer(request, response, host),
        /5 of the \d+ bytes of main\/train/,
      ],
    ];
    for (const [handle, message] of cases) {
      const { hubUrl } = await serve(handle);
      await expect(loadGsm8k({ hubUrl, store })).rejects.toThrow(message);
      await stop();
    }
    expect(await keptGsm8k(store)).toBeNull();
  });

  it('is left alone once the person stops it', async () => {
    const controller = new AbortController();
    const { hubUrl, asked } = await serve((request, response, host) => {
      if (!(request.url ?? '').includes('resolve')) return answer(request, response, host);
      response.writeHead(200, { 'Content-Length': `${TRAIN_PARQUET.length}` });
      response.write(TRAIN_PARQUET.slice(0, 100));
    });
    const loading = loadGsm8k({
      hubUrl,
      store: memoryStore(),
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('stopped by a person')),
    });
    await expect(loading).rejects.toThrow('stopped by a person');
    expect(asked.filter((path) => path.includes('resolve'))).toHaveLength(1);
    await expect(loadGsm8k({ hubUrl, signal: controller.signal })).rejects.toThrow('stopped by a person');
  });
});
