/** The files of one folder, of which each is opened, read and parsed once, however many parts of a model or a run look into it. */
import { shownJson, withNumbers } from '@rl-playground/base/json';
import { messageOf } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import { parseSafetensors, type SafetensorsFile } from './safetensors.ts';
import { isGgufName } from './ggufName.ts';
import type { GgufModel, GgufText } from './ggufModel.ts';
import { openBytes } from './openFiles.ts';
import { ModelFileError, type ModelFiles, type ModelOrigin, type OpenFile } from './types.ts';

export interface LoadOptions {
  readonly signal?: AbortSignal;
  /** True if the files came with the page: their tokenizer is then not tried in a worker first. */
  readonly own?: true;
  /** Receives the bytes of the file named in `label`. */
  readonly onProgress?: (label: string, done: number, total: number) => void;
}

/** These names are texts of a model or a run: a tokenizer of 250,000 tokens takes some 20 MB. */
const TEXT = /\.(json|jinja|txt)$/;
export const LARGEST_TEXT = 64 * 2 ** 20;

/** @throws ModelFileError if a text has more bytes than are read at once. */
export function checkTextSize({ label }: Pick<ModelFiles, 'label'>, name: string, bytes: number): void {
  if (bytes > LARGEST_TEXT)
    throw new ModelFileError(
      `${label}: ${name} has ${bytesText(bytes)}, and at most ${bytesText(LARGEST_TEXT)} are read; no such file of a model is larger. Download it again.`,
    );
}

const GGUF_TEXTS: readonly GgufText[] = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'generation_config.json',
];
export const WEIGHT_FILES = { single: 'model.safetensors', index: 'model.safetensors.index.json' } as const;

/**
 * A GGUF file that is a folder's only weights belongs to it like a file of safetensors. If the folder has no config.json, its texts come
 * from that file's header.
 */
export class OpenFolder implements ModelFiles {
  readonly label: string;
  readonly name?: string;
  readonly origin?: ModelOrigin;
  readonly checkedHash?: string | null;
  readonly options: LoadOptions;
  readonly #files: ModelFiles;
  /** The name of the GGUF file that is the folder's only weights; null where there is none. */
  readonly #ggufName: string | null;
  /** True if that file's header stands for the texts. */
  readonly #textsAreInGguf: boolean;
  #gguf: Promise<GgufModel | null> | null = null;
  readonly #mounted = new Map<string, ModelFiles>();
  readonly #opened = new Map<string, Promise<OpenFile | null>>();
  readonly #contents = new Map<string, Uint8Array | null>();
  readonly #objects = new Map<string, object>();

  constructor(files: ModelFiles, options: LoadOptions = {}) {
    this.label = files.label;
    if (files.name !== undefined) this.name = files.name;
    if (files.origin) this.origin = files.origin;
    if (files.checkedHash !== undefined) this.checkedHash = files.checkedHash;
    this.options = options;
    this.#files = files;
    const { names = [] } = files;
    const [name, ...others] = names.filter(isGgufName);
    const hasOthers = others.length > 0 || Object.values(WEIGHT_FILES).some((each) => names.includes(each));
    this.#ggufName = name === undefined || hasOthers ? null : name;
    this.#textsAreInGguf = this.#ggufName !== null && !names.includes('config.json');
  }

  /** An open folder stays the one that it is, so that what was read of it is not read again, unless options come with it. */
  static of(files: ModelFiles, options?: LoadOptions): OpenFolder {
    return files instanceof OpenFolder && options === undefined ? files : new OpenFolder(files, options);
  }

  get names(): readonly string[] | undefined {
    const mounted = [...this.#mounted].flatMap(([prefix, { names = [] }]) =>
      names.map((name) => prefix + name),
    );
    const made = this.#textsAreInGguf ? GGUF_TEXTS : [];
    const more = [...made, ...mounted];
    return more.length > 0 ? [...new Set([...(this.#files.names ?? []), ...more])] : this.#files.names;
  }

  /**
   * The GGUF file that is the folder's only weights, with its header read; null where there is none.
   *
   * @throws ModelFileError where it breaks the format, or holds a model that is not supported.
   */
  gguf(): Promise<GgufModel | null> {
    return (this.#gguf ??= this.#files instanceof OpenFolder ? this.#files.gguf() : this.#openGguf());
  }

  async #openGguf(): Promise<GgufModel | null> {
    const name = this.#ggufName;
    const file = name === null ? null : await this.open(name);
    if (file === null) return null;
    const { openGguf } = await import('./ggufModel.ts');
    return openGguf(/\.gguf$/i.test(this.label) ? this.label : `${this.label}: ${name}`, file);
  }

  /** Puts the files of another folder below one that is called `name` here. */
  mount(name: string, files: ModelFiles): void {
    this.#mounted.set(`${name}/`, OpenFolder.of(files));
  }

  /** Opens one file; null if it does not exist. Progress is reported under its name. */
  open(name: string): Promise<OpenFile | null> {
    const opened = this.#opened.get(name) ?? this.#open(name);
    this.#opened.set(name, opened);
    return opened;
  }

  async #open(name: string): Promise<OpenFile | null> {
    const { signal, onProgress } = this.options;
    signal?.throwIfAborted();
    const options = {
      ...(signal ? { signal } : {}),
      onProgress: (done: number, total: number) => onProgress?.(name, done, total),
    };
    for (const [prefix, files] of this.#mounted)
      if (name.startsWith(prefix)) return files.open(name.slice(prefix.length), options);
    const text = this.#textsAreInGguf ? GGUF_TEXTS.find((each) => each === name) : undefined;
    if (text === undefined) return this.#files.open(name, options);
    const bytes = (await this.gguf())?.text(text);
    return bytes ? openBytes(bytes) : null;
  }

  /** Reads all bytes of one file; null if it does not exist. @throws ModelFileError if it is a text of more than 64 MB. */
  async read(name: string): Promise<Uint8Array | null> {
    const known = this.#contents.get(name);
    if (known !== undefined) return known;
    const file = await this.open(name);
    if (file !== null && TEXT.test(name)) checkTextSize(this, name, file.size);
    const bytes = file && (await file.read(0, file.size));
    this.#contents.set(name, bytes);
    return bytes;
  }

  /** The bytes of a file that was read; null if it was not, or does not exist. */
  bytes(name: string): Uint8Array | null {
    return this.#contents.get(name) ?? null;
  }

  /** The object in a file that was read; null if it was not, or does not exist. @throws ModelFileError if it is no JSON object. */
  object(name: string): object | null {
    const bytes = this.bytes(name);
    const object = this.#objects.get(name) ?? (bytes && parseJsonObject(bytes, name, this.label));
    if (object) this.#objects.set(name, object);
    return object;
  }

  /** Reads a file and parses it; null if it does not exist. @throws ModelFileError if it is too large, or no JSON object. */
  async json(name: string): Promise<object | null> {
    await this.read(name);
    return this.object(name);
  }

  /** Reads and parses a file that must exist. @throws ModelFileError */
  async requiredJson(name: string): Promise<object> {
    const json = await this.json(name);
    if (json !== null) return json;
    throw new ModelFileError(
      `${this.label}: ${name} is missing. A model folder needs config.json, model.safetensors (or its index with shards), tokenizer.json and tokenizer_config.json.`,
    );
  }

  /** Reads the tensors of a small file as f32; null if it does not exist. @throws ModelFileError if it breaks the format. */
  async tensors(name: string): Promise<SafetensorsFile | null> {
    const file = await this.open(name);
    return file && parseSafetensors(await file.read(0, file.size), `${this.label}: ${name}`);
  }
}

/** Says that a text has a number of Python's own, and where; null if it has none. */
function pythonNumber(text: string): string | null {
  const found: (readonly [token: string, at: number])[] = [];
  withNumbers(text, (token, at) => {
    if (!/\d/.test(token)) found.push([token, at]);
    return token;
  });
  const [first] = found;
  if (first === undefined) return null;
  const line = text.slice(0, first[1]).split('\n').length;
  return `${first[0]} in line ${line}, a number that Python writes and JSON does not have. Replace it by a number or null`;
}

/** @throws ModelFileError if the bytes are no JSON object. */
export function parseJsonObject(bytes: Uint8Array, name: string, label: string): object {
  let json: unknown;
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    json = JSON.parse(text);
  } catch (error) {
    const found = pythonNumber(text);
    throw new ModelFileError(
      found === null
        ? `${label}: ${name} is no valid JSON (${messageOf(error)}). Download the file again.`
        : `${label}: ${name} has ${found}.`,
    );
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  throw new ModelFileError(`${label}: ${name} must hold a JSON object, found ${shownJson(json, 40)}.`);
}
