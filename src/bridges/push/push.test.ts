/** Files sent to a server with the Hub's paths: what arrives, and what is said where it can't. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '@rl-playground/base/secret';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import { PART_BYTES } from '@rl-playground/engine/testing/hubUploads';
import { sha256 } from '@rl-playground/base/testing/sha256';
import {
  findRepository,
  pushFiles,
  type PushFile,
  type PushOptions,
  type PushProgress,
} from './pushFiles.ts';
import { repositoryProblem, tokenProblem, type PushTarget } from './pushTarget.ts';

const folder = mkdtempSync(join(tmpdir(), 'push-'));
const random = (length: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(length).map(() => 256 * Math.random());
/** One file for the commit itself, one object in one piece, one in three parts, of which the last is short. */
const FILES = new Map([
  ['config.json', random(700)],
  ['tokenizer.json', random(60_000)],
  ['model.safetensors', random(2 * PART_BYTES + 4321)],
]);

const onDisk = (name: string, bytes: Uint8Array): PushFile => {
  writeFileSync(join(folder, name), bytes);
  return { size: bytes.length, content: pathToFileURL(join(folder, name)) };
};
const files = new Map([...FILES].map(([name, bytes]) => [name, onDisk(name, bytes)]));

let hub: HubServer;
beforeAll(async () => {
  hub = await startHub({ 'me/open': { commit: 'e'.repeat(40), files: new Map([['old.txt', random(3)]]) } });
  hub.accounts.set('hf_write', { namespaces: ['me'], mayWrite: true });
  hub.accounts.set('hf_read', { namespaces: ['me'], mayWrite: false });
});
afterEach(() => {
  hub.uploads.splice(0);
});
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
});

const target = (repo: string, changes: Partial<PushTarget> = {}): PushTarget => ({
  repo,
  isPrivate: true,
  secret: new Secret('hf_write', hub.url),
  hubUrl: hub.url,
  ...changes,
});
/** An address at which nobody listens. */
const NOBODY = 'http://127.0.0.1:9';
const elsewhere = (hubUrl: string) => ({ hubUrl, secret: new Secret('hf_write', hubUrl) });
const waited: number[] = [];
const wait = (milliseconds: number): Promise<void> => Promise.resolve(void waited.push(milliseconds));
const push = (to: PushTarget, options: PushOptions = {}) =>
  pushFiles(() => Promise.resolve(files), to, { wait, ...options });

function expectThere(repo: string): void {
  const there = hub.models.get(repo);
  for (const [name, bytes] of FILES) expect(sha256(there?.files.get(name)), `${name}`).toBe(sha256(bytes));
}

describe('what is sent', () => {
  test('arrives byte for byte in a private repository, large files in storage, which is told no token', async () => {
    const heard: PushProgress[] = [];
    expect(await findRepository(target('me/new'), { wait })).toBeNull();
    const { url, commit } = await push(target('me/new'), { onProgress: (each) => heard.push(each) });
    expect(url).toBe(`${hub.url}/me/new`);
    expect(hub.models.get('me/new')).toMatchObject({ commit, token: 'hf_write' });
    expectThere('me/new');
    expect(await findRepository(target('me/new'), { wait })).toEqual({ isPrivate: true });
    expect(hub.uploads.map(({ bytes }) => bytes).toSorted((a, b) => a - b)).toEqual([
      4321,
      60_000,
      PART_BYTES,
      PART_BYTES,
    ]);
    expect(hub.uploads.every(({ token }) => token === null)).toBe(true);
    const total = [...FILES.values()].reduce((sum, { length }) => sum + length, 0);
    expect(heard.at(-1)).toEqual({ stage: 'committing', done: total, total });
  });

  test('joins what is there already; objects that storage has are not sent again', async () => {
    await push(target('me/open', { isPrivate: false }));
    expectThere('me/open');
    expect(hub.models.get('me/open')?.files.has('old.txt')).toBe(true);
    expect(hub.uploads).toEqual([]);
  });

  test('is sent again where the server is busy or the connection breaks, as far as it is missing', async () => {
    const bytes = random(PART_BYTES);
    const other = new Map([['model.safetensors', onDisk('other', bytes)]]);
    hub.fail('/objects/batch', { kind: 'status', status: 503 });
    hub.fail(`/lfs/${sha256(bytes)}`, { kind: 'status', status: 500 });
    hub.fail('/commit/main', { kind: 'status', status: 429 });
    const why: string[] = [];
    const onRetry = (each: string): void => void why.push(each);
    await pushFiles(() => Promise.resolve(other), target('me/busy'), { wait, onRetry });
    expect(why.map((each) => /\d{3}/.exec(each)?.[0])).toEqual(['503', '500', '429']);
    expect(hub.uploads).toHaveLength(1);
    expect(sha256(hub.models.get('me/busy')?.files.get('model.safetensors'))).toBe(sha256(bytes));
  });
});

describe('what can’t be sent', () => {
  test.each([
    [
      'me/x',
      () => ({ secret: new Secret('hf_unknown', hub.url) }),
      /answered 401.*Give another one, with write access/,
    ],
    [
      'me/x',
      () => ({ secret: new Secret('hf_read', hub.url) }),
      /answered 403: "This token has no write access"\./,
    ],
    ['them/x', () => ({}), /answered 403.*its account must be them or belong to it/],
    ['me/open', () => ({}), /me\/open is there already and open to everyone/],
    ['me', () => ({}), /"me" is no repository/],
    ['me/x', () => ({ secret: new Secret('wrong', hub.url) }), /begins otherwise than with "hf_"/],
    ['me/x', () => elsewhere(NOBODY), /connection broke.*5 times in a row/],
    [
      'me/x',
      () => ({ hubUrl: NOBODY }),
      /was given for http:\/\/127\.0\.0\.1:\d+, and is not sent to http:\/\/127\.0\.0\.1:9/,
    ],
  ] as const)('%s as %o is refused with what to do', async (repo, changes, message) => {
    await expect(push(target(repo, changes()))).rejects.toThrow(message);
    expect(hub.uploads).toEqual([]);
    expect(hub.models.has('me/x')).toBe(false);
  });

  test('is too much for the server, and the repository stays as it was', async () => {
    hub.fail('/objects/batch', { kind: 'status', status: 413 });
    await expect(push(target('me/full'))).rejects.toThrow(/answered 413.*Choose a smaller type/);
    expect(hub.models.get('me/full')?.files.size).toBe(0);
  });

  test('or is no longer wanted', async () => {
    const stop = new AbortController();
    const before = hub.models.get('me/new')?.commit;
    const sent = push(target('me/new'), {
      signal: stop.signal,
      onProgress: ({ stage }) => stage === 'sending' && stop.abort(new Error('enough')),
    });
    await expect(sent).rejects.toThrow('enough');
    expect(hub.models.get('me/new')?.commit).toBe(before);
  });
});

test.each([
  ['org/name', null],
  ['Org-1/a.b_c', null],
  ['name', /is no repository/],
  ['org/name/more', /is no repository/],
  ['org/name@main', /is no repository/],
  ['org/-name', /is no repository/],
  ['org/na--me', /is no repository/],
  ['org/name.git', /is no repository/],
  ['https://huggingface.co/org/name', /is no repository/],
  [`org/${'n'.repeat(93)}`, /has 97 characters; 96 are the most/],
])('the name %s', (name, problem) => {
  const found = repositoryProblem(name);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toMatch(problem);
  expect(tokenProblem(' ')).toContain('write access');
});
