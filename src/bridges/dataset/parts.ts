/** The part of a dataset that a file holds, by its name. */
import type { OpenFile } from '@rl-playground/engine/parts';

export type DataPart = 'train' | 'validation' | 'test';

const WORDS: readonly (readonly [DataPart, RegExp])[] = [
  ['test', /(^|[^a-z])test([^a-z]|$)/],
  ['validation', /(^|[^a-z])(validation|valid|val|dev)([^a-z]|$)/],
  ['train', /(^|[^a-z])train([^a-z]|$)/],
];

/** The part that the name of a path's file, or else of its folder, says; null for neither. */
export function partOf(path: string): DataPart | null {
  const [file = '', folder = ''] = path.toLowerCase().split('/').reverse();
  const found = (name: string) => WORDS.find(([, word]) => word.test(name))?.[0] ?? null;
  return found(file) ?? found(folder);
}

export interface DataFile {
  readonly name: string;
  readonly file: OpenFile;
}

export interface PartedFile extends DataFile {
  /** True if its rows are held out. */
  readonly test: boolean;
}

/** Files with rows that are not read yet. */
export interface DataSource {
  /** The text that runs record. */
  readonly source: string;
  readonly commit: string | null;
  readonly files: readonly PartedFile[];
}

/**
 * Says which files are held out: those named test, or else validation. If none is left to learn from, they are rows like any others, of which
 * a share is held out. A validation part beside a test part is left out.
 */
export function parted(files: readonly DataFile[]): PartedFile[] {
  const of = (part: DataPart) => files.filter(({ name }) => partOf(name) === part);
  const [test, validation] = [of('test'), of('validation')];
  const held = new Set(test.length > 0 ? test : validation);
  const unused = new Set(test.length > 0 ? validation : []);
  const used = files.filter((file) => !unused.has(file));
  const learned = used.some((file) => !held.has(file));
  return used.map((file) => ({ ...file, test: learned && held.has(file) }));
}
