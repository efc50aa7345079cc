/** The folders of `../shared/refdata/hf`: files as Hugging Face's libraries write them, with the results of those libraries. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface EncodeCase {
  readonly text: string;
  readonly ids: readonly number[];
  /** The text to which the ids decode, if it differs from the first. */
  readonly decoded?: string;
}

export interface DecodeCase {
  readonly ids: readonly number[];
  readonly text: string;
}

export interface ChatCase {
  readonly name: string;
  readonly messages: readonly object[];
  readonly add_generation_prompt: boolean;
  readonly enable_thinking?: boolean;
  readonly text?: string;
  readonly ids?: readonly number[];
  /** The error of a template that refuses the conversation. */
  readonly error?: string;
}

export interface ExpectedText {
  readonly encode: readonly EncodeCase[];
  readonly decode: readonly DecodeCase[];
  readonly chat?: readonly ChatCase[];
}

export interface ExpectedModel extends ExpectedText {
  readonly model_class: string;
  readonly supported: boolean;
  readonly stop_token_ids: readonly number[];
  readonly greedy: readonly { readonly prompt: readonly number[]; readonly completion: readonly number[] }[];
}

/** The folders below `root` that have an expected.json. */
export function expectedFolders(root: string): { readonly name: string; readonly path: string }[] {
  return readdirSync(root)
    .map((name) => join(root, name))
    .filter((path) => existsSync(join(path, 'expected.json')))
    .map((path) => ({ name: basename(path), path }));
}

export function readJson(path: string): object {
  return JSON.parse(readFileSync(path, 'utf8')) as object;
}

export function expectedText(folder: string): ExpectedText {
  return readJson(join(folder, 'expected.json')) as ExpectedText;
}

export function expectedModel(folder: string): ExpectedModel {
  return readJson(join(folder, 'expected.json')) as ExpectedModel;
}
