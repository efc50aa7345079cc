/**
 * The weights that a run's generators were given, a file for each version beside the run's commits: an answer of any step can be explained
 * by the model that wrote it, after a reload too. A version that was not written to its end is an empty file, and counts as none.
 */
import { privateFolder, storageNow } from '@rl-playground/base/privateFiles';
import type { FreshWeights, PastWeights } from '@rl-playground/engine/parts';
import { foldersOfRun, RUNS_FOLDER, type RunFolders } from './keptRun.ts';
import { runBegan } from './runName.ts';

/** So many of the newest versions stay, and at most as many of those before them, evenly spaced. */
const EACH = 50;

/** The versions that stay: the newest, those that were evaluated, and every n-th, where n is a power of two and grows with the run. */
export function versionsThatStay(versions: readonly number[], evaluated: ReadonlySet<number>): number[] {
  const newest = Math.max(...versions);
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(newest / EACH)));
  return versions.filter(
    (version) => version > newest - EACH || evaluated.has(version) || version % every === 0,
  );
}

const FOLDER = 'past-weights';

/** The bytes that all runs may keep together: 1,700 versions of a model of 153 k parameters. */
const MOST_BYTES = 2 ** 30;
/** The share that they may take of the space that the browser still gives: the rest is for commits and models. */
const SHARE = 0.25;

/** The weights that a run keeps. */
interface Shelf {
  readonly run: string;
  readonly versions: readonly number[];
  /** The bytes of each version: all of a run are of one size. */
  readonly each: number;
}

const bytesOf = ({ versions, each }: Shelf): number => versions.length * each;
const sumOf = (shelves: readonly Shelf[]): number => shelves.reduce((sum, shelf) => sum + bytesOf(shelf), 0);

interface Leaving {
  /** The runs whose weights all go. */
  readonly runs: readonly string[];
  /** The versions of the run itself that go. */
  readonly versions: readonly number[];
}

/** Makes room for `bytes` more within `most`: first the weights of other runs go, the oldest first, then the run's own first versions; null if even that gives no room. */
export function makesRoom(bytes: number, most: number, own: Shelf, others: readonly Shelf[]): Leaving | null {
  if (bytes > most) return null;
  const oldestFirst = [...others].sort((a, b) => runBegan(a.run) - runBegan(b.run));
  const runs: string[] = [];
  let held = sumOf([own, ...others]);
  for (const other of oldestFirst) {
    if (held + bytes <= most) break;
    runs.push(other.run);
    held -= bytesOf(other);
  }
  const over = Math.max(0, held + bytes - most);
  const first = [...own.versions].sort((a, b) => a - b);
  return { runs, versions: over === 0 ? [] : first.slice(0, Math.ceil(over / own.each)) };
}

async function shelfOf(run: string, folder: FileSystemDirectoryHandle): Promise<Shelf> {
  const shelf = await folder.getDirectoryHandle(FOLDER).catch(() => null);
  const versions: number[] = [];
  for await (const name of shelf?.keys() ?? []) {
    const version = Number(name);
    // A browser may show a file that is being written beside the one that it will replace.
    if (Number.isInteger(version)) versions.push(version);
  }
  for (const version of versions) {
    const each = (await shelf?.getFileHandle(`${version}`).then((handle) => handle.getFile()))?.size ?? 0;
    if (each > 0) return { run, versions, each };
  }
  return { run, versions, each: 0 };
}

/** The bytes that past weights take in a run's folder. */
export async function pastWeightBytes(folder: FileSystemDirectoryHandle): Promise<number> {
  return bytesOf(await shelfOf('', folder));
}

interface Shelves {
  own: Shelf;
  others: readonly Shelf[];
  readonly most: number;
}

export class PastWeightFiles {
  readonly #run: string;
  /** The shelves of this run and of the others, read before the first version is written. */
  #shelves: Shelves | null = null;
  /** The source of the versions that were written last. */
  #source: PastWeights | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(run: string) {
    this.#run = run;
  }

  /**
   * Writes the weights that generators were given since, while the run goes on. Versions without room are left out. `evaluated` are the steps
   * behind which the run was evaluated; a version bears the number of the step behind which it was given.
   */
  take(past: PastWeights, evaluated: ReadonlySet<number>): void {
    // A version that fails is left out: a person who asks for it later is told that the weights are gone.
    this.#writing = this.#writing.then(() => this.#writeAll(past, evaluated)).catch(() => undefined);
  }

  /** Resolves when nothing is being written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** The weights of a version; null where they are not kept. */
  async of(version: number): Promise<Float32Array | null> {
    try {
      const folder = await (await foldersOfRun(this.#run)).run.getDirectoryHandle(FOLDER);
      const bytes = await (await (await folder.getFileHandle(`${version}`)).getFile()).arrayBuffer();
      return bytes.byteLength > 0 ? new Float32Array(bytes) : null;
    } catch {
      return null;
    }
  }

  async #writeAll(past: PastWeights, evaluated: ReadonlySet<number>): Promise<void> {
    let next = past.takeFresh();
    if (next === null) return;
    const folders = await foldersOfRun(this.#run);
    const shelves = (this.#shelves ??= await this.#read(folders));
    const { version: first } = next;
    // Later versions are of steps that the run went back behind before its model came onto the device: it will have others of them.
    if (past !== this.#source) await this.#keepOnly(folders, shelves, (version) => version <= first);
    this.#source = past;
    for (; next !== null; next = past.takeFresh()) {
      await this.#write(folders, next, shelves);
      const stay = new Set(versionsThatStay(shelves.own.versions, evaluated));
      await this.#keepOnly(folders, shelves, (version) => stay.has(version));
    }
  }

  /** Deletes the other versions of the run. */
  async #keepOnly({ run }: RunFolders, shelves: Shelves, stays: (version: number) => boolean): Promise<void> {
    const { own } = shelves;
    const gone = own.versions.filter((version) => !stays(version));
    if (gone.length === 0) return;
    const folder = await run.getDirectoryHandle(FOLDER, { create: true });
    for (const version of gone) await remove(folder, version);
    shelves.own = { ...own, versions: own.versions.filter(stays) };
  }

  async #write(folders: RunFolders, { version, packed }: FreshWeights, shelves: Shelves): Promise<void> {
    const { own, others, most } = shelves;
    const again = own.versions.includes(version);
    const leaving = makesRoom(again ? 0 : packed.byteLength, most, own, others);
    if (leaving === null) return;
    for (const gone of leaving.runs) await forget(folders.root, gone);
    shelves.others = others.filter(({ run }) => !leaving.runs.includes(run));
    await this.#keepOnly(folders, shelves, (each) => !leaving.versions.includes(each));
    const folder = await folders.run.getDirectoryHandle(FOLDER, { create: true });
    const file = await folder.getFileHandle(`${version}`, { create: true });
    const writable = await file.createWritable();
    await writable.write(packed);
    await writable.close();
    const versions = shelves.own.versions.filter((each) => each !== version);
    shelves.own = { ...own, versions: [...versions, version], each: packed.byteLength };
  }

  /** Makes room on a full disk: the past weights of all runs are deleted, and this one keeps no more. Resolves to whether there were any. */
  async giveWay(): Promise<boolean> {
    await this.#writing;
    const folders = await foldersOfRun(this.#run);
    const { own, others } = await this.#read(folders);
    const leaving = [own, ...others].filter((shelf) => bytesOf(shelf) > 0);
    for (const gone of leaving) await forget(folders.root, gone.run);
    this.#shelves = { own: { ...own, versions: [] }, others: [], most: 0 };
    return leaving.length > 0;
  }

  async #read({ root, run }: RunFolders): Promise<Shelves> {
    const others: Shelf[] = [];
    for await (const [name, folder] of root.entries())
      if (folder.kind === 'directory' && name !== this.#run)
        others.push(await shelfOf(name, folder as FileSystemDirectoryHandle));
    const own = await shelfOf(this.#run, run);
    const storage = await storageNow();
    const most = storage
      ? sumOf([own, ...others]) + SHARE * Math.max(0, storage.quota - storage.used)
      : MOST_BYTES;
    return { own, others, most: Math.min(MOST_BYTES, most) };
  }
}

/** Deletes a version. If another page has deleted it already, nothing is left to do. */
const remove = (folder: FileSystemDirectoryHandle, version: number): Promise<void> =>
  folder.removeEntry(`${version}`).catch(() => undefined);

/** Deletes the past weights of all runs. */
export async function forgetPastWeights(): Promise<void> {
  const root = await privateFolder(RUNS_FOLDER);
  const runs: string[] = [];
  for await (const run of root?.keys() ?? []) runs.push(run);
  if (root !== null) for (const run of runs) await forget(root, run);
}

async function forget(root: FileSystemDirectoryHandle, run: string): Promise<void> {
  const folder = await root.getDirectoryHandle(run).catch(() => null);
  await folder?.removeEntry(FOLDER, { recursive: true }).catch(() => undefined);
}
