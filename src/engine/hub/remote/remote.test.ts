/** Models of a server with the Hub's paths: what is asked for before weights are, and what is said where it can't be had. */
import { bundledInNode } from '../../testing/starterFolder.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Secret, secretOf } from '@rl-playground/base/secret';
import { breathe } from '../../backend/eventLoop.ts';
import { heldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { startHub, type HubServer } from '../../testing/hubServer.ts';
import { sha256 as sha256Of } from '@rl-playground/base/testing/sha256';
import { loadModel, readModelConfig } from '../load.ts';
import { OpenFolder } from '../openFolder.ts';
import { downloadFile, type DownloadOptions, type PartFile, type PartState } from './download.ts';
import { ChooseFileError } from './ggufChoice.ts';
import { addressText, parseModelAddress } from './modelAddress.ts';
import type { RemoteFile } from './remoteFile.ts';
import { filesOf, findModel } from './remoteModel.ts';
import { STALL_MILLISECONDS } from './request.ts';

const COMMIT = 'c'.repeat(40);
const folder = bundledInNode('starter-words');
/** No test waits for real; what was waited is counted. */
let waited: number[] = [];
const wait = (milliseconds: number): Promise<void> => {
  waited.push(milliseconds);
  return Promise.resolve();
};

async function starterFiles(): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const name of folder.names ?? []) {
    const bytes = await new OpenFolder(folder).read(name);
    if (bytes) files.set(name, bytes);
  }
  return files;
}

/** Several chunks of a connection. */
const RANGE_BYTES = 400_000;
/** Two whole ranges and a part of one. */
const LARGE = new Uint8Array(2 * RANGE_BYTES + 10_000).map(() => 256 * Math.random());

let hub: HubServer;
beforeAll(async () => {
  const files = await starterFiles();
  hub = await startHub({
    'test/words': { commit: COMMIT, files },
    'test/gated': { commit: COMMIT, files, token: 'hf_right' },
    'test/gguf': {
      commit: COMMIT,
      files: new Map([
        ['README.md', new Uint8Array(3)],
        ['mmproj-m.gguf', new Uint8Array(5)],
        ['m-Q8_0.gguf', new Uint8Array(1063)],
        ['m-Q4_K_M.gguf', new Uint8Array(600)],
      ]),
      ggufWeights: 1000,
    },
    'test/empty': { commit: COMMIT, files: new Map([['README.md', new Uint8Array(3)]]) },
    'test/large': {
      commit: COMMIT,
      files: new Map([
        ['config.json', new Uint8Array(2)],
        ['model.safetensors', LARGE],
      ]),
    },
  });
});
afterAll(() => hub.close());
afterEach(() => {
  hub.ranges.splice(0);
  waited = [];
});

const find = (text: string, token?: string) => {
  const address = parseModelAddress(text);
  if (address === null) throw new Error(`${text} is no address.`);
  const secret = secretOf(token, hub.url);
  return findModel(address, { hubUrl: hub.url, wait, ...(secret && { secret }) });
};

describe('an address', () => {
  test.each([
    ['org/name', { kind: 'hub', repo: 'org/name', revision: null, file: null }],
    [
      'HuggingFaceTB/SmolLM2-135M-Instruct',
      { kind: 'hub', repo: 'HuggingFaceTB/SmolLM2-135M-Instruct', revision: null, file: null },
    ],
    ['org/name@main', { kind: 'hub', repo: 'org/name', revision: 'main', file: null }],
    ['org/name:a-Q4_K_M.gguf', { kind: 'hub', repo: 'org/name', revision: null, file: 'a-Q4_K_M.gguf' }],
    ['org/name@v1:a.gguf', { kind: 'hub', repo: 'org/name', revision: 'v1', file: 'a.gguf' }],
    ['org/name@refs/pr/1', { kind: 'hub', repo: 'org/name', revision: 'refs/pr/1', file: null }],
    ['https://a.example/models/x', { kind: 'url', url: 'https://a.example/models/x/' }],
    ['https://a.example/x/a.gguf?download=true', { kind: 'url', url: 'https://a.example/x/a.gguf' }],
    ['http://127.0.0.1:8/?q#h', { kind: 'url', url: 'http://127.0.0.1:8/' }],
  ])('%s', (text, address) => {
    expect(parseModelAddress(text)).toEqual(address);
    if (address.kind === 'hub')
      expect(addressText(parseModelAddress(text) ?? { kind: 'url', url: '' })).toBe(text);
  });

  test.each([
    '',
    'starter',
    'org/',
    '/name',
    'org/name/file',
    '../up',
    'org/..',
    'org/name@../x',
    'a b/c',
    'org/name:',
    'org/name:../a.gguf',
    'org/name:sub/a.gguf',
    'ftp://x/y',
  ])('"%s" is none', (text) => expect(parseModelAddress(text)).toBeNull());
});

test('a file may stand before the revision, as in a name with its commit behind it', () => {
  const address = { kind: 'hub', repo: 'org/name', revision: COMMIT, file: 'a.gguf' };
  expect(parseModelAddress(`org/name:a.gguf@${COMMIT}`)).toEqual(address);
});

describe('a repository of GGUF files', () => {
  test('lists them with sizes and bits, the smallest first', async () => {
    const error: unknown = await find('test/gguf').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ChooseFileError);
    const { choices, message } = error as ChooseFileError;
    expect(choices).toEqual([
      { address: 'test/gguf:m-Q4_K_M.gguf', path: 'm-Q4_K_M.gguf', bytes: 600, bits: 4.8 },
      { address: 'test/gguf:m-Q8_0.gguf', path: 'm-Q8_0.gguf', bytes: 1063, bits: 8.504 },
    ]);
    expect(message).toContain('Name one behind a colon, such as test/gguf:m-Q4_K_M.gguf.');
  });

  test.each(['test/gguf:m-Q8_0.gguf', 'test/gguf:q8_0', 'test/gguf@main:Q8_0'])(
    '%s names one, which is the only file that is fetched',
    async (text) => {
      const model = await find(text);
      expect(model.origin.name).toBe('test/gguf:m-Q8_0.gguf');
      expect(model.files.map(({ path }) => path)).toEqual(['m-Q8_0.gguf']);
      expect(model.bytes).toBe(1063);
      expect(await filesOf(model).open('m-Q8_0.gguf')).toMatchObject({ size: 1063 });
    },
  );

  test('a name that is not there is refused with those that are', async () => {
    await expect(find('test/gguf:Q5_0')).rejects.toThrow(
      'there is no GGUF file "Q5_0"; the repository has m-Q4_K_M.gguf, m-Q8_0.gguf.',
    );
  });
});

describe('before its weights', () => {
  test('a model is known by commit, files, sizes and hashes, from a listing in pages', async () => {
    const model = await find('test/words');
    const files = await starterFiles();
    expect(model.origin).toEqual({ name: 'test/words', revision: null, commit: COMMIT, hubUrl: hub.url });
    expect(model.files.at(-1)?.path).toBe('model.safetensors');
    for (const { path, size, sha256 } of model.files) {
      const bytes = files.get(path) ?? new Uint8Array();
      expect(size).toBe(bytes.length);
      if (path === 'model.safetensors') expect(sha256).toBe(sha256Of(bytes));
    }
    expect(model.files.map(({ path }) => path)).not.toContain('README.md');
    expect(hub.ranges).toEqual([]);
  });

  test('its architecture and the names of its tensors take less than a megabyte', async () => {
    const files = filesOf(await find('test/words'), { wait });
    await readModelConfig(files);
    const weights = await files.open('model.safetensors');
    await weights?.read(0, 8);
    await weights?.read(8, 4000);
    expect(hub.ranges.filter(({ path }) => path === 'model.safetensors')).toHaveLength(1);
    expect(hub.ranges.reduce((sum, { begin, end }) => sum + end - begin, 0)).toBeLessThan(2 ** 20);
  });

  test('read where it is, it is the model that lies on the disk', async () => {
    const [remote, local] = await Promise.all([
      loadModel(filesOf(await find(`test/words@${COMMIT}`), { wait })),
      loadModel(folder),
    ]);
    expect(remote.contentHash).toBe(local.contentHash);
    expect(remote.origin?.commit).toBe(COMMIT);
    expect(remote.config).toEqual(local.config);
  });

  test.each([
    ['test/nothing', undefined, /401.*private or gated, or there is none of this name/],
    ['test/nothing', 'hf_any', /has no such model.*org\/name/],
    ['test/words@other', undefined, /no such model or revision "other"/],
    ['test/gated', undefined, /401.*Give a token/],
    ['test/gated', 'hf_wrong', /403.*accept its terms/],
    ['test/empty', undefined, /no config\.json/],
  ])('%s with the token %s is refused with what to do', async (name, token, message) => {
    await expect(find(name, token)).rejects.toThrow(message);
    expect(waited).toEqual([]);
  });

  test('a gated model comes with its token, which large files’ storage is not told', async () => {
    const model = await find('test/gated', 'hf_right');
    const files = filesOf(model, { wait, secret: new Secret('hf_right', hub.url) });
    await (await files.open('config.json'))?.read(0, 2);
    await (await files.open('model.safetensors'))?.read(0, 8);
    expect(hub.ranges.map(({ origin, token }) => [origin, token])).toEqual([
      ['hub', 'hf_right'],
      ['storage', null],
    ]);
  });

  test('a busy server is asked again, as late as it says; one that stays busy is an error', async () => {
    hub.fail('/revision/main', { kind: 'status', status: 503 }, 2);
    expect((await find('test/words')).origin.commit).toBe(COMMIT);
    expect(waited).toEqual([1000, 2000]);
    hub.fail('config.json', { kind: 'status', status: 429, retryAfter: 7 }, 1);
    await readModelConfig(filesOf(await find('test/words'), { wait }));
    expect(waited).toEqual([1000, 2000, 7000]);
    waited = [];
    hub.fail('config.json', { kind: 'status', status: 429, retryAfter: 0 }, 2);
    await readModelConfig(filesOf(await find('test/words'), { wait }));
    // A server that asks for no wait at all uses up no tries in a moment.
    expect(waited).toEqual([1000, 2000]);
    hub.fail('/revision/main', { kind: 'status', status: 500 }, 5);
    await expect(find('test/words')).rejects.toThrow(/answered 500, 5 times in a row.*try again/);
  });
});

/** A part in memory, as a disk keeps it: what was not kept by name is lost. */
function memoryPart(state: PartState | null = null, bytes = new Uint8Array(LARGE.length)) {
  const seen = { state, bytes, finished: false, discarded: false };
  const part: PartFile = {
    state,
    write: (chunk, at) => seen.bytes.set(chunk, at),
    keep: (next) => void (seen.state = next),
    finish: () => Promise.resolve(void (seen.finished = true)),
    discard: () => Promise.resolve(void (seen.discarded = true)),
    close: () => Promise.resolve(),
  };
  return { part, seen };
}

async function largeFile(): Promise<RemoteFile> {
  const file = (await find('test/large')).files.at(-1);
  if (file === undefined) throw new Error('There is no large file.');
  return file;
}

describe('a download', () => {
  const label = 'test/large';
  const download = (file: RemoteFile, part: PartFile, options: DownloadOptions = {}): Promise<void> =>
    downloadFile(file, part, label, { wait, rangeBytes: RANGE_BYTES, timers: heldAlarms(), ...options });
  const same = (bytes: Uint8Array): boolean => Buffer.compare(bytes, LARGE) === 0;

  test('comes range by range, each kept', async () => {
    const { part, seen } = memoryPart();
    const done: number[] = [];
    await download(await largeFile(), part, { onBytes: (bytes) => done.push(bytes) });
    expect(seen.finished).toBe(true);
    expect(same(seen.bytes)).toBe(true);
    expect(hub.ranges.map(({ begin }) => begin)).toEqual([0, RANGE_BYTES, 2 * RANGE_BYTES]);
    expect(done.at(-1)).toBe(LARGE.length);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
  });

  test('broken off and begun again, it goes on behind the last whole range', async () => {
    const file = await largeFile();
    const stop = new AbortController();
    const first = memoryPart();
    const given = download(file, first.part, {
      signal: stop.signal,
      onBytes: (done) => done > RANGE_BYTES && stop.abort(new Error('enough')),
    });
    await expect(given).rejects.toThrow('enough');
    expect(first.seen.state?.done).toBe(RANGE_BYTES);
    hub.ranges.splice(0);
    const second = memoryPart(first.seen.state, first.seen.bytes);
    await download(file, second.part);
    expect(hub.ranges.map(({ begin }) => begin)).toEqual([RANGE_BYTES, 2 * RANGE_BYTES]);
    expect(same(second.seen.bytes)).toBe(true);
  });

  test('a connection that breaks, stalls or is refused goes on where it was', async () => {
    hub.fail('model.safetensors', { kind: 'truncate', after: 3000 });
    hub.fail('model.safetensors', { kind: 'stall', after: 3000 });
    hub.fail('model.safetensors', { kind: 'status', status: 502 });
    const { part, seen } = memoryPart();
    const why: string[] = [];
    const alarms = heldAlarms();
    const file = await largeFile();
    let given = Promise.resolve();
    // All that the server sends before it stalls.
    await new Promise<void>((arrived) => {
      given = download(file, part, {
        timers: alarms,
        onRetry: (reason) => why.push(reason),
        onBytes: (done) => done === 6000 && arrived(),
      });
    });
    await breathe();
    alarms.pass(STALL_MILLISECONDS);
    await given;
    expect(same(seen.bytes)).toBe(true);
    expect(seen.finished).toBe(true);
    expect(why).toHaveLength(3);
    expect(why).toContain('nothing came for 30 s');
    expect(why.join()).toMatch(/answered 502/);
    // What had come is not asked for again.
    expect(hub.ranges[1]?.begin).toBeGreaterThan(0);
  });

  test('a file that changes in between begins again', async () => {
    const file = await largeFile();
    const good = memoryPart();
    await download(file, good.part);
    const kept = good.seen.state;
    const changed = memoryPart(kept && { ...kept, done: RANGE_BYTES, etag: '"another"' });
    hub.ranges.splice(0);
    await download(file, changed.part);
    expect(hub.ranges.at(-3)?.begin).toBe(0);
    expect(same(changed.seen.bytes)).toBe(true);
  });

  test('a state that can’t be gone on with counts as nothing', async () => {
    for (const state of [
      { done: RANGE_BYTES, etag: null, hash: '' },
      { done: LARGE.length + 1, etag: null, hash: 'AAAA' },
    ]) {
      const { part, seen } = memoryPart(state);
      await download(await largeFile(), part);
      expect(same(seen.bytes)).toBe(true);
    }
  });

  test('bytes that are not those listed are thrown away', async () => {
    const { part, seen } = memoryPart();
    const file = { ...(await largeFile()), sha256: 'f'.repeat(64) };
    await expect(download(file, part)).rejects.toThrow(/SHA-256.*listed is ffff/);
    expect([seen.finished, seen.discarded]).toEqual([false, true]);
  });

  test('a full disk is said, and what has arrived stays', async () => {
    const { part, seen } = memoryPart();
    const full: PartFile = {
      ...part,
      write: (bytes, at) => {
        if (at > RANGE_BYTES) throw new DOMException('full', 'QuotaExceededError');
        return part.write(bytes, at);
      },
    };
    await expect(download(await largeFile(), full)).rejects.toThrow(/no more room.*kept/);
    expect(seen.state?.done).toBe(RANGE_BYTES);
    expect(seen.discarded).toBe(false);
  });
});
