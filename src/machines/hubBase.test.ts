/** A run's base out of a hub: it counts where it is the one that the run has signed, and otherwise says why not. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  loadWeights,
  readModelConfig,
  filesOf,
  type RemoteModel,
  openHeaders,
  type GeneratorModel,
} from '@rl-playground/engine/parts';
import { startBackend, FrozenBase } from '@rl-playground/engine/parts/tensors';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import { TINY_CONFIGS } from '@rl-playground/engine/testing/tinyModels';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { bytesOfBase } from './basePieces.ts';
import { baseFromHub, digestOfBase, type HubAccess } from './hubBase.ts';
import type { ObjectReference } from './messages.ts';

const COMMIT = 'c'.repeat(40);
const starter = join(import.meta.dirname, '../../public/models/starter');

let hub: HubServer;
let base: FrozenBase;
let model: GeneratorModel;
/** The reference in the run's bucket. */
let signed: ObjectReference;

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  const files = filesInFolder(starter);
  const config = await readModelConfig(files);
  base = await FrozenBase.load(config, await openHeaders(files, config), 'q8');
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of bytesOfBase(base.pieces())) {
    hash.update(piece);
    bytes += piece.length;
  }
  const padded = hash.digest('base64').replaceAll('+', '-').replaceAll('/', '_');
  signed = { name: 'base-0', digest: `SHA-256=${padded}`, bytes };
  const served = new Map(
    readdirSync(starter).map((name) => [name, new Uint8Array(readFileSync(join(starter, name)))]),
  );
  hub = await startHub({
    'test/starter': { commit: COMMIT, files: served },
    'test/huge': {
      commit: COMMIT,
      files: new Map(served).set('model.safetensors', new Uint8Array(80 * 2 ** 20)),
    },
  });
  model = {
    config,
    lora: { rank: 2, alpha: 4, targets: ['q_proj'] },
    frozen: base.formats,
    stopTokenIds: [0],
    positions: 64,
    origin: { name: 'test/starter', commit: COMMIT, hubUrl: hub.url },
  };
});
afterEach(() => void hub.ranges.splice(0));
afterAll(async () => {
  base.dispose();
  await hub.close();
});

const access = (changes: Partial<HubAccess> = {}): HubAccess => ({
  mayAsk: (url) => url === hub.url,
  asking: {},
  fetched: (found: RemoteModel) => Promise.resolve(filesOf(found)),
  ...changes,
});
const { signal } = new AbortController();

const weightsFetched = (): boolean =>
  hub.ranges.some(({ path, begin, end }) => path === 'model.safetensors' && end - begin > 2 ** 16);

describe('a base of a hub', () => {
  test('has the digest that the object store gives it', async () => {
    expect(await digestOfBase(base)).toEqual({ digest: signed.digest, bytes: signed.bytes });
  });

  test('is the one that the run has signed, to the bit', async () => {
    const found = await baseFromHub(access(), model, signed, signal);
    if (found === null) throw new Error('It was not asked for.');
    const copy = await FrozenBase.copied(model.config, base.formats, found);
    const [copied, whole] = [await copy.toHuggingFace(), await base.toHuggingFace()];
    copy.dispose();
    expect([...copied]).toEqual([...whole]);
    // And what the files say, but for the rounding to 8 bits.
    const { weights } = await loadWeights(filesInFolder(starter));
    for (const [name, { data }] of weights) {
      const largest = data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const found8 = copied.get(name)?.data ?? [];
      expect(data.every((value, i) => Math.abs(value - (found8[i] ?? NaN)) <= largest / 100)).toBe(true);
    }
  });

  test('is not asked for where its owner has not allowed the server, or the run names no commit', async () => {
    expect(await baseFromHub(access({ mayAsk: () => false }), model, signed, signal)).toBeNull();
    const { origin: _, ...nameless } = model;
    expect(await baseFromHub(access(), nameless, signed, signal)).toBeNull();
    expect(hub.ranges).toEqual([]);
  });

  test('that is another one is refused when it has come', async () => {
    const digest = `SHA-256=${Buffer.from('0'.repeat(32)).toString('base64url')}=`;
    await expect(baseFromHub(access(), model, { ...signed, digest }, signal)).rejects.toThrow(
      /another SHA-256 than the run has signed/,
    );
  });

  const of = (name: string): GeneratorModel => ({
    ...model,
    origin: { name, commit: COMMIT, hubUrl: hub.url },
  });
  test.each([
    ['a model that is not there', () => of('test/none'), /answered 401|no such model/],
    ['a name that climbs', () => of('../../etc/passwd'), /no model of a hub/],
    ['a folder', () => of('http://127.0.0.1:1/model/'), /no model of a hub/],
    ['files far larger than the base', () => of('test/huge'), /80.*MB, for a base of/],
    [
      'a model of other shapes',
      () => ({ ...model, config: TINY_CONFIGS.gqa, frozen: {} }),
      /weights (do not fit|hold)|config\.json/,
    ],
  ])('%s is refused before any weights are fetched', async (_, asked, sentence) => {
    await expect(baseFromHub(access(), asked(), signed, signal)).rejects.toThrow(sentence);
    expect(weightsFetched()).toBe(false);
  });

  test('ends where the run does', async () => {
    const stop = new AbortController();
    hub.fail('model.safetensors', { kind: 'stall', after: 0 });
    const coming = baseFromHub(access(), model, signed, stop.signal);
    stop.abort(new Error('The run has ended.'));
    await expect(coming).rejects.toThrow('The run has ended.');
  });
});
