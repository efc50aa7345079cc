/** Tells by a file's name which part of a dataset it holds. */

export type DataPart = 'train' | 'validation' | 'test';

const WORDS: readonly (readonly [DataPart, RegExp])[] = [
  ['test', /(^|[^a-z])test([^a-z]|$)/],
  ['validation', /(^|[^a-z])(validation|valid|val|dev)([^a-z]|$)/],
  ['train', /(^|[^a-z])train([^a-z]|$)/],
];

/** The part that a path names by its file, or else by its folder; null if it names none. */
export function partOf(path: string): DataPart | null {
  const [file = '', folder = ''] = path.toLowerCase().split('/').reverse();
  const found = (name: string) => WORDS.find(([, word]) => word.test(name))?.[0] ?? null;
  return found(file) ?? found(folder);
}

export interface PartedFile<File> {
  readonly file: File;
  /** True if its rows are held out. */
  readonly test: boolean;
}

/**
 * Divides files into those that are learned from and those that are held out: the ones named test, else validation. If that leaves
 * nothing to learn from, they are rows like any others, and a share of them is held out. A validation part beside a test part is left
 * out.
 */
export function parted<File>(files: readonly File[], pathOf: (file: File) => string): PartedFile<File>[] {
  const of = (part: DataPart) => files.filter((file) => partOf(pathOf(file)) === part);
  const [test, validation] = [of('test'), of('validation')];
  const held = new Set(test.length > 0 ? test : validation);
  const unused = new Set(test.length > 0 ? validation : []);
  const used = files.filter((file) => !unused.has(file));
  const learned = used.some((file) => !held.has(file));
  return used.map((file) => ({ file, test: learned && held.has(file) }));
}
