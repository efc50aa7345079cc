/** The GGUF files of a repository, of which one is a model. */
import { bytesText } from '@rl-playground/base/text';
import { ModelFileError } from '../types.ts';
import type { Listing } from './listing.ts';
import { isGgufName } from '../ggufName.ts';
import { addressText, type HubAddress } from './modelAddress.ts';
import type { RemoteFile } from './remoteFile.ts';

export interface GgufChoice {
  /** The address that names the file. */
  readonly address: string;
  readonly path: string;
  readonly bytes: number;
  /** The bits of a weight, with all of the file's bytes counted; null if the server does not say how many weights there are. */
  readonly bits: number | null;
}

/** A repository that is no model folder, but has several GGUF files, of which one must be named. */
export class ChooseFileError extends ModelFileError {
  override readonly name: string = 'ChooseFileError';
  readonly choices: readonly GgufChoice[];

  constructor(label: string, choices: readonly GgufChoice[]) {
    const files = choices.map(({ path, bytes }) => `${path} (${bytesText(bytes)})`).join(', ');
    super(
      `${label} has no config.json, but ${choices.length} GGUF files: ${files}. Name one behind a colon, such as ${choices[0]?.address}.`,
    );
    this.choices = choices;
  }
}

/** Files of image encoders, which lie beside a language model. */
const BESIDE = /(^|\/)mmproj/i;

const nameOf = ({ path }: Pick<RemoteFile, 'path'>): string => path.replace(/\.gguf$/i, '').toLowerCase();

/** The models among the files, the smallest first. */
const modelsOf = (files: readonly RemoteFile[]): RemoteFile[] =>
  files
    .filter(({ path }) => isGgufName(path) && !BESIDE.test(path))
    .sort((a, b) => a.size - b.size || (a.path < b.path ? -1 : 1));

export function ggufChoices({ files, weights }: Listing, address: HubAddress): GgufChoice[] {
  return modelsOf(files).map(({ path, size }) => ({
    address: addressText({ ...address, file: path }),
    path,
    bytes: size,
    bits: weights === null ? null : (8 * size) / weights,
  }));
}

/** The file of this name, or the only one whose name ends so. @throws ModelFileError if there is none, or more than one. */
export function ggufNamed({ files }: Listing, file: string, label: string): RemoteFile {
  const models = modelsOf(files);
  const wanted = nameOf({ path: file });
  const exact = models.find((each) => each.path === file || nameOf(each) === wanted);
  const ending = models.filter((each) => nameOf(each).endsWith(wanted));
  const [only] = ending;
  if (exact ?? (only && ending.length === 1)) return exact ?? (only as RemoteFile);
  const among = ending.length > 1 ? ending : models;
  const names = among.map(({ path }) => path).join(', ') || 'none';
  throw new ModelFileError(
    `${label}: ${ending.length > 1 ? `${ending.length} GGUF files end in "${file}"` : `there is no GGUF file "${file}"`}; ${ending.length > 1 ? 'they are' : 'the repository has'} ${names}. Write the whole name behind the colon.`,
  );
}
