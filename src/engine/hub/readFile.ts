/** Reading single files of a model folder, with progress and clear errors. */
import { shownJson } from '@rl-playground/base/json';
import { messageOf } from '@rl-playground/base/errors';
import { bytesText } from '@rl-playground/base/text';
import { ModelFileError, type ModelFiles, type OpenFile } from './types.ts';

export interface LoadOptions {
  readonly signal?: AbortSignal;
  /** True if the files came with the page: their tokenizer is then not tried in a worker first. */
  readonly own?: true;
  /** Receives the bytes of the file named in `label`. */
  readonly onProgress?: (label: string, done: number, total: number) => void;
}

/** Opens one file; null if it does not exist. Progress is reported under its name. */
export async function openFile(
  files: ModelFiles,
  name: string,
  options: LoadOptions,
): Promise<OpenFile | null> {
  options.signal?.throwIfAborted();
  return files.open(name, {
    ...(options.signal ? { signal: options.signal } : {}),
    onProgress: (done, total) => options.onProgress?.(name, done, total),
  });
}

/** Texts of a model and of a run: a tokenizer of 250,000 tokens takes some 20 MB. */
const TEXT = /\.(json|jinja|txt)$/;
export const LARGEST_TEXT = 64 * 2 ** 20;

/** @throws ModelFileError if a text has more bytes than are read at once. */
export function checkTextSize({ label }: Pick<ModelFiles, 'label'>, name: string, bytes: number): void {
  if (bytes > LARGEST_TEXT)
    throw new ModelFileError(
      `${label}: ${name} has ${bytesText(bytes)}, and at most ${bytesText(LARGEST_TEXT)} are read; no such file of a model is larger. Download it again.`,
    );
}

/** Reads all bytes of one file; null if it does not exist. @throws ModelFileError if it is a text of more than 64 MB. */
export async function readFile(
  files: ModelFiles,
  name: string,
  options: LoadOptions,
): Promise<Uint8Array | null> {
  const file = await openFile(files, name, options);
  if (file !== null && TEXT.test(name)) checkTextSize(files, name, file.size);
  return file && file.read(0, file.size);
}

/** @throws ModelFileError if the file does not exist. */
export async function readRequired(
  files: ModelFiles,
  name: string,
  options: LoadOptions,
): Promise<Uint8Array> {
  const bytes = await readFile(files, name, options);
  if (bytes !== null) return bytes;
  throw missingFile(files, name);
}

export function missingFile({ label }: ModelFiles, name: string): ModelFileError {
  return new ModelFileError(
    `${label}: ${name} is missing. A model folder needs config.json, model.safetensors (or its index with shards), tokenizer.json and tokenizer_config.json.`,
  );
}

/** @throws ModelFileError if the bytes are no JSON object. */
export function parseJsonObject(bytes: Uint8Array, name: string, label: string): object {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ModelFileError(
      `${label}: ${name} is no valid JSON (${messageOf(error)}). Download the file again.`,
    );
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  throw new ModelFileError(`${label}: ${name} must hold a JSON object, found ${shownJson(json, 40)}.`);
}
