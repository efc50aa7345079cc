/** A model on the Hub or in a folder of a server before any of its weights is fetched: its files, their sizes and hashes, and its commit. */
import { z } from 'zod';
import { PEFT_FILES } from '../peft.ts';
import { checkTextSize, WEIGHT_FILES } from '../openFolder.ts';
import { ModelFileError, type ModelFiles, type ModelOrigin } from '../types.ts';
import { listRepository, type FindOptions } from './listing.ts';
import { ChooseFileError, ggufChoices, ggufNamed, type GgufChoice } from './ggufChoice.ts';
import { ggufNameOf, isGgufName } from '../ggufName.ts';
import { addressText, type HubAddress, type ModelAddress } from './modelAddress.ts';
import { openRemote, readRange, type RemoteFile } from './remoteFile.ts';
import { ask, withRetries, type Asking } from './request.ts';

export interface RemoteModel {
  readonly label: string;
  readonly origin: ModelOrigin;
  /** The files that a model needs, weights last. */
  readonly files: readonly RemoteFile[];
  /** The bytes of all files together. */
  readonly bytes: number;
  /** The GGUF files of its repository, the smallest first. */
  readonly choices: readonly GgufChoice[];
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
const { single: SINGLE, index: INDEX } = WEIGHT_FILES;
const SHARD = /^model-\d+-of-\d+\.safetensors$/;
/** The files of an adapter. They are fetched with a model too, because an adapter beside it would change the model. */
const ADAPTER = [PEFT_FILES.config, PEFT_FILES.weights] as const;

/** Chooses the files of a model, with weights last, either the single file or the shards. An adapter without a model needs its own files alone. */
function needed(files: readonly RemoteFile[]): RemoteFile[] {
  const names = new Set(files.map(({ path }) => path));
  if (!names.has('config.json') && names.has(ADAPTER[0]))
    return files.filter(({ path }) => ADAPTER.some((name) => name === path));
  const isWeights = ({ path }: RemoteFile): boolean =>
    names.has(SINGLE) ? path === SINGLE : SHARD.test(path);
  const isText = ({ path }: RemoteFile): boolean =>
    TEXT_FILES.some((name) => name === path) ||
    ADAPTER.some((name) => name === path) ||
    (path === INDEX && !names.has(SINGLE));
  return [...files.filter(isText), ...files.filter(isWeights)];
}

export function modelOf(
  label: string,
  origin: ModelOrigin,
  files: readonly RemoteFile[],
  choices: readonly GgufChoice[] = [],
): RemoteModel {
  return { label, origin, files, bytes: files.reduce((sum, { size }) => sum + size, 0), choices };
}

/**
 * Looks up a model, or a LoRA adapter that comes without its model: its commit, then the list of its files. No file is fetched.
 *
 * @throws ModelFileError that says what to do, or the signal's reason.
 */
export async function findModel(address: ModelAddress, options: FindOptions = {}): Promise<RemoteModel> {
  const label = addressText(address);
  const model = await (address.kind === 'hub'
    ? onHub(address, label, options)
    : atUrl(address.url, label, options));
  if (
    !model.files.some(({ path }) => path === 'config.json' || path === PEFT_FILES.config || isGgufName(path))
  )
    throw new ModelFileError(
      `${label}: there is no config.json. A model folder needs config.json, ${SINGLE} (or its index with shards), tokenizer.json and tokenizer_config.json.`,
    );
  return model;
}

async function onHub(address: HubAddress, label: string, options: FindOptions): Promise<RemoteModel> {
  const listing = await listRepository('model', address, label, options);
  const { commit, hubUrl, files } = listing;
  const { repo: name, revision } = address;
  const choices = ggufChoices(listing, address);
  const isModel = files.some(({ path }) => path === 'config.json' || path === PEFT_FILES.config);
  const only = !isModel && choices.length === 1 ? choices[0]?.path : undefined;
  const file = address.file ?? only;
  if (file !== undefined) {
    const gguf = ggufNamed(listing, file, label);
    return modelOf(label, { name: `${name}:${gguf.path}`, revision, commit, hubUrl }, [gguf], choices);
  }
  if (!isModel && choices.length > 1) throw new ChooseFileError(label, choices);
  return modelOf(label, { name, revision, commit, hubUrl }, needed(files), choices);
}

/** Looks up a GGUF file or a folder by its address. */
async function atUrl(url: string, label: string, options: Asking): Promise<RemoteModel> {
  const path = ggufNameOf(url);
  if (path === null) return inFolder(url, label, options);
  const file = await fileAt(url, path, label, options);
  if (file === null) throw new ModelFileError(`${label}: the server has no such file. Check the address.`);
  return modelOf(label, { name: url, revision: null, commit: null, hubUrl: null }, [file]);
}

/** Looks up the files of a plain folder by their names, because it has no list. */
async function inFolder(folder: string, label: string, options: Asking): Promise<RemoteModel> {
  const found = async (names: readonly string[]): Promise<RemoteFile[]> =>
    (await Promise.all(names.map((name) => fileAt(`${folder}${name}`, name, label, options)))).flatMap(
      (file) => file ?? [],
    );
  const files = await found([...TEXT_FILES, ...ADAPTER, SINGLE, INDEX]);
  const index = files.find(({ path }) => path === INDEX);
  const single = files.some(({ path }) => path === SINGLE);
  if (index && !single) {
    checkTextSize({ label }, INDEX, index.size);
    const bytes = await readRange(index, 0, index.size, label, options);
    files.push(...(await found(shardsIn(bytes))));
  }
  return modelOf(label, { name: folder, revision: null, commit: null, hubUrl: null }, needed(files));
}

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** The names of the shards in an index. An index that can't be read has none: opening the weights then says what is wrong with it. */
function shardsIn(index: Uint8Array): string[] {
  try {
    const parsed = indexSchema.safeParse(JSON.parse(new TextDecoder().decode(index)));
    return [...new Set(Object.values(parsed.data?.weight_map ?? {}))].filter((name) => SHARD.test(name));
  } catch {
    return [];
  }
}

/** Finds a file's size from its first byte; null if there is no file, or a web page in its place. */
export async function fileAt(
  url: string,
  path: string,
  label: string,
  options: Asking,
): Promise<RemoteFile | null> {
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

/** The name of a model's folder: the same for the same files, another for another commit or server. */
export function folderName({ origin, files }: RemoteModel): string {
  // A folder's URL has no commit: sizes take its place, and `If-Range` finds what they miss.
  const version = origin.commit ?? files.map(({ size }) => size.toString(36)).join('-');
  return [origin.hubUrl, origin.name, version]
    .filter((part) => part !== null)
    .map((part) => part.replace(/^https?:\/\//, '').replaceAll(/[^\w-]+/g, '--'))
    .join('@')
    .slice(0, 200);
}

/**
 * Files that are read from the server by ranges and not kept: enough to read configs and the headers of weights before anything is
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
