/** A model on the Hub or in a folder of a server, before any of its weights is fetched: its files, their sizes and hashes, and its commit. */
import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { ModelFileError, type ModelFiles, type ModelOrigin, type OpenFile } from '../types.ts';
import { addressText, type HubAddress, type ModelAddress } from './modelAddress.ts';
import { ask, withRetries, type Asking } from './request.ts';

export const HUB_URL = 'https://huggingface.co';

export interface RemoteFile {
  readonly path: string;
  readonly url: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal; null where the listing has none, as for files that are not in large file storage. */
  readonly sha256: string | null;
}

export interface RemoteModel {
  readonly label: string;
  readonly origin: ModelOrigin;
  /** Those that a model needs, weights last. */
  readonly files: readonly RemoteFile[];
  /** Of all of them together. */
  readonly bytes: number;
}

export interface FindOptions extends Asking {
  /** Another server that speaks the Hub's paths. */
  readonly hubUrl?: string;
}

const TEXT_FILES = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'chat_template.jinja',
  'vocab.json',
  'merges.txt',
] as const;
const SINGLE = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
const SHARD = /^model-\d+-of-\d+\.safetensors$/;
/** An adapter beside a model must be seen, since it would change what the model is. */
const ADAPTER = ['adapter_config.json', 'adapter_model.safetensors'];

const treeSchema = z.array(
  z.looseObject({
    type: z.string(),
    path: z.string(),
    size: z.number().int().nonnegative(),
    lfs: z.looseObject({ oid: z.string(), size: z.number().int().nonnegative().optional() }).nullish(),
  }),
);
const infoSchema = z.looseObject({ sha: z.string().nullish() });

/** Weights last, and either the single file or the shards. */
function needed(files: readonly RemoteFile[]): RemoteFile[] {
  const names = new Set(files.map(({ path }) => path));
  const isWeights = ({ path }: RemoteFile): boolean =>
    names.has(SINGLE) ? path === SINGLE : SHARD.test(path);
  const isText = ({ path }: RemoteFile): boolean =>
    TEXT_FILES.some((name) => name === path) ||
    ADAPTER.includes(path) ||
    (path === INDEX && !names.has(SINGLE));
  return [...files.filter(isText), ...files.filter(isWeights)];
}

function modelOf(label: string, origin: ModelOrigin, files: readonly RemoteFile[]): RemoteModel {
  const chosen = needed(files);
  return { label, origin, files: chosen, bytes: chosen.reduce((sum, { size }) => sum + size, 0) };
}

/**
 * Looks a model up: its commit, then the list of its files. Nothing of them is fetched.
 * @throws ModelFileError that says what to do, or the signal's reason.
 */
export async function findModel(address: ModelAddress, options: FindOptions = {}): Promise<RemoteModel> {
  const label = addressText(address);
  const model = await (address.kind === 'hub'
    ? onHub(address, label, options)
    : inFolder(address.url, label, options));
  if (!model.files.some(({ path }) => path === 'config.json'))
    throw new ModelFileError(
      `${label}: there is no config.json. A model folder needs config.json, ${SINGLE} (or its index with shards), tokenizer.json and tokenizer_config.json.`,
    );
  return model;
}

async function onHub(
  { repo, revision }: HubAddress,
  label: string,
  options: FindOptions,
): Promise<RemoteModel> {
  const hubUrl = (options.hubUrl ?? HUB_URL).replace(/\/+$/, '');
  const branch = encodeURIComponent(revision ?? 'main');
  const missing = `${label}: ${hubUrl} has no such model${revision === null ? '' : ` or revision "${revision}"`}. Names are org/name or org/name@revision, upper and lower case told apart.`;
  const info = await json(label, `${hubUrl}/api/models/${repo}/revision/${branch}`, options, missing);
  const commit = infoSchema.safeParse(info.body).data?.sha ?? null;
  const at = encodeURIComponent(commit ?? revision ?? 'main');
  const files: RemoteFile[] = [];
  let page: string | null = `${hubUrl}/api/models/${repo}/tree/${at}?recursive=false&expand=false`;
  while (page !== null) {
    const answer: JsonAnswer = await json(label, page, options, missing);
    const entries = treeSchema.safeParse(answer.body);
    if (!entries.success)
      throw new ModelFileError(
        `${label}: ${page} gave no list of files. Is ${hubUrl} a server with the Hub's paths?`,
      );
    for (const { type, path, size, lfs } of entries.data)
      if (type === 'file')
        files.push({
          path,
          size: lfs?.size ?? size,
          sha256: lfs?.oid.replace(/^sha256:/, '') ?? null,
          url: `${hubUrl}/${repo}/resolve/${at}/${path.split('/').map(encodeURIComponent).join('/')}`,
        });
    page = answer.next;
  }
  const elsewhere = hubUrl === HUB_URL ? null : hubUrl;
  return modelOf(label, { name: repo, revision, commit, hubUrl: elsewhere }, files);
}

interface JsonAnswer {
  readonly body: unknown;
  /** The next page of a listing. */
  readonly next: string | null;
}

async function json(label: string, url: string, options: Asking, missing: string): Promise<JsonAnswer> {
  return withRetries(
    label,
    async () => {
      const response = await ask(label, url, { Accept: 'application/json' }, options);
      if (response === null) throw new ModelFileError(missing);
      const [, next = null] = /<([^>]+)>\s*;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
      try {
        return { body: (await response.json()) as unknown, next };
      } catch (error) {
        options.signal?.throwIfAborted();
        throw new ModelFileError(`${label}: ${url} answered with no JSON (${messageOf(error)}).`, {
          cause: error,
        });
      }
    },
    options,
  );
}

/** A plain folder has no list: its files are asked for by their names. */
async function inFolder(folder: string, label: string, options: Asking): Promise<RemoteModel> {
  const found = async (names: readonly string[]): Promise<RemoteFile[]> =>
    (await Promise.all(names.map((name) => fileAt(`${folder}${name}`, name, label, options)))).flatMap(
      (file) => file ?? [],
    );
  const files = await found([...TEXT_FILES, ...ADAPTER, SINGLE, INDEX]);
  const index = files.find(({ path }) => path === INDEX);
  const single = files.some(({ path }) => path === SINGLE);
  if (index && !single) {
    const bytes = await readRange(index, 0, index.size, label, options);
    files.push(...(await found(shardsIn(bytes))));
  }
  return modelOf(label, { name: folder, revision: null, commit: null, hubUrl: null }, files);
}

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** Of an index that can't be read there are none: whoever opens the weights says what is wrong with it. */
function shardsIn(index: Uint8Array): string[] {
  try {
    const parsed = indexSchema.safeParse(JSON.parse(new TextDecoder().decode(index)));
    return [...new Set(Object.values(parsed.data?.weight_map ?? {}))].filter((name) => SHARD.test(name));
  } catch {
    return [];
  }
}

/** A file's size by its first byte; null where there is none, or a web page in its place. */
async function fileAt(url: string, path: string, label: string, options: Asking): Promise<RemoteFile | null> {
  const response = await withRetries(label, () => ask(label, url, { Range: 'bytes=0-0' }, options), options);
  if (response === null) return null;
  const html = response.headers.get('content-type')?.includes('text/html') === true;
  const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  await response.body?.cancel();
  if (html) return null;
  if (response.status !== 206 || total === undefined)
    throw new ModelFileError(
      `${label}: the server answered ${response.status} for the first byte of ${path}; 206 with Content-Range is needed, so that large files can be fetched in pieces. Serve the folder with a server that answers ranges.`,
    );
  return { path, url, size: Number(total), sha256: null };
}

/** Bytes `begin` … `end` − 1 of a file. @throws ModelFileError */
export async function readRange(
  { url, path }: RemoteFile,
  begin: number,
  end: number,
  label: string,
  options: Asking,
): Promise<Uint8Array> {
  if (begin >= end) return new Uint8Array();
  return withRetries(
    `${label}: ${path}`,
    async () => {
      const response = await ask(`${label}: ${path}`, url, { Range: `bytes=${begin}-${end - 1}` }, options);
      const bytes = new Uint8Array((await response?.arrayBuffer()) ?? []);
      // Small files may come whole.
      const part = response?.status === 200 ? bytes.subarray(begin, end) : bytes;
      if (part.byteLength === end - begin) return part;
      throw new ModelFileError(
        `${label}: ${bytes.byteLength} bytes came for bytes ${begin} to ${end} of ${path} (${response?.status ?? 404}); ${end - begin} are needed. The file has changed or the server answers no ranges; look the model up again.`,
      );
    },
    options,
  );
}

/** A folder of its own for each model that is kept: the same for the same files, another for another commit or server. */
export function folderName({ origin, files }: RemoteModel): string {
  // A folder's URL has no commit: sizes stand for it, and `If-Range` for what they miss.
  const version = origin.commit ?? files.map(({ size }) => size.toString(36)).join('-');
  return [origin.hubUrl, origin.name, version]
    .filter((part) => part !== null)
    .map((part) => part.replace(/^https?:\/\//, '').replaceAll(/[^\w-]+/g, '--'))
    .join('@')
    .slice(0, 200);
}

/** Headers of weights are read in two steps; both fit into what is fetched first. */
const HEAD_BYTES = 64 * 1024;

/**
 * The files read where they are, by ranges, none kept: enough to read configs and the headers of weights before anything is
 * downloaded, and for programs that read a model once.
 */
export function filesOf(model: RemoteModel, asking: Asking = {}): ModelFiles {
  const byName = new Map(model.files.map((file) => [file.path, file]));
  return {
    label: model.label,
    names: [...byName.keys()],
    origin: model.origin,
    open: (name, options) => {
      const file = byName.get(name);
      const { signal } = options ?? {};
      if (file === undefined) return Promise.resolve(null);
      options?.onProgress?.(file.size, file.size);
      return Promise.resolve(openRemote(file, model.label, signal ? { ...asking, signal } : asking));
    },
  };
}

function openRemote(file: RemoteFile, label: string, asking: Asking): OpenFile {
  const { size } = file;
  let head: Promise<Uint8Array> | null = null;
  return {
    size,
    async read(begin, end) {
      if (end > Math.min(HEAD_BYTES, size)) return readRange(file, begin, end, label, asking);
      head ??= readRange(file, 0, Math.min(HEAD_BYTES, size), label, asking);
      return (await head).subarray(begin, end);
    },
  };
}
