/** Reading single files of a model folder, with progress and clear errors. */
import { shownJson } from '../base/json.ts';
import { messageOf } from '../base/errors.ts';
import { ModelFileError, type ModelFiles, type OpenFile } from './types.ts';

export interface LoadOptions {
  readonly signal?: AbortSignal;
  /** Whether the files came with the page: their tokenizer is not tried in a worker first. */
  readonly own?: true;
  /** Bytes of the file named in `label`. */
  readonly onProgress?: (label: string, done: number, total: number) => void;
}

/** One file, null where it does not exist; progress is reported under its name. */
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

/** All bytes of one file; null where it does not exist. */
export async function readFile(
  files: ModelFiles,
  name: string,
  options: LoadOptions,
): Promise<Uint8Array | null> {
  const file = await openFile(files, name, options);
  return file && file.read(0, file.size);
}

/** @throws ModelFileError where the file does not exist. */
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

/** @throws ModelFileError where the bytes are no JSON object. */
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
