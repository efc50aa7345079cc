/** Files that a person chose or dropped: a zip, or the files of a model or an adapter, in their folders or loose. */

export interface ChosenFile {
  /** The name of the file, behind the folders that were dropped with it: `my-adapter/adapter_config.json`. */
  readonly path: string;
  readonly file: File;
}

/** Takes the files from a field for files, or for a folder. */
export function chosenFrom(files: Iterable<File>): ChosenFile[] {
  return Array.from(files, (file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** The folder that a path is in; empty for none. */
export function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

/** The name for all of them together. */
export function titleOf(chosen: readonly ChosenFile[]): string {
  const [first] = chosen;
  if (first === undefined) return 'Nothing';
  const top = first.path.split('/')[0] ?? '';
  if (chosen.length === 1) return first.file.name;
  return chosen.every(({ path }) => path.startsWith(`${top}/`)) ? top : `Model of ${chosen.length} files`;
}

/** True if these are files of a model or an adapter, and not a zip of one. */
export function areModelFiles(chosen: readonly ChosenFile[]): boolean {
  return chosen.some(({ path }) => /(^|\/)adapter_config\.json$|\.safetensors$/.test(path));
}
