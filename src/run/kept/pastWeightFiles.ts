/**
 * Weights that a run's generators were given, a file for each version beside the run's commits: an answer of any step can be explained by
 * the model that wrote it, after a reload too. What is not written to its end is an empty file, and counts as none.
 */
import { privateFolder, storageNow } from '@rl-playground/base/privateFiles';
import type { FreshWeights, PastWeights } from '@rl-playground/engine/parts';
import { foldersOfRun, RUNS_FOLDER, type RunFolders } from './keptRun.ts';
import { versionsThatStay } from './pastVersions.ts';
import { runBegan } from './runName.ts';

const FOLDER = 'past-weights';

/** Of all runs together: 1,700 versions of a model of 153 k parameters. */
const MOST_BYTES = 2 ** 30;
/** Of what the browser still gives: the rest is for commits and models. */
const SHARE = 0.25;

/** What a run keeps so. */
interface Shelf {
  readonly run: string;
  readonly versions: readonly number[];
  /** Bytes of each: all versions of a run are of one size. */
  readonly each: number;
}

const bytesOf = ({ versions, each }: Shelf): number => versions.length * each;
const sumOf = (shelves: readonly Shelf[]): number => shelves.reduce((sum, shelf) => sum + bytesOf(shelf), 0);

/** What has to go. */
interface Leaving {
  /** Runs of which all weights go. */
  readonly runs: readonly string[];
  /** Of the run itself. */
  readonly versions: readonly number[];
}

/** What makes room for `bytes` more within `most`: the weights of other runs, oldest first, then the run's own first versions. Null where nothing does. */
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
    // A browser may show what it writes to beside the file.
    if (Number.isInteger(version)) versions.push(version);
  }
  for (const version of versions) {
    const each = (await shelf?.getFileHandle(`${version}`).then((handle) => handle.getFile()))?.size ?? 0;
    if (each > 0) return { run, versions, each };
  }
  return { run, versions, each: 0 };
}

/** What a run's folder keeps so, in bytes. */
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
  /** What this run, and what the others keep; read before the first version is written. */
  #shelves: Shelves | null = null;
  /** Whose versions were written last. */
  #source: PastWeights | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(run: string) {
    this.#run = run;
  }

  /**
   * Writes, beside whatever goes on, what generators were given since; where there is no room it is left out. `evaluated`: the steps behind which the run was
   * evaluated; a version bears the number of the step behind which it was given.
   */
  take(past: PastWeights, evaluated: ReadonlySet<number>): void {
    // What fails is left out: whoever asks for it later is told that the weights are gone.
    this.#writing = this.#writing.then(() => this.#writeAll(past, evaluated)).catch(() => undefined);
  }

  /** Resolves when nothing is being written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** As they were taken; null where they are not kept. */
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
    this.#shelves ??= await this.#read(folders);
    for (; next !== null; next = past.takeFresh()) {
      if (past !== this.#source) await this.#forgetAfter(next.version, folders, this.#shelves);
      this.#source = past;
      await this.#write(folders, next, this.#shelves);
      await this.#thin(folders, this.#shelves, evaluated);
    }
  }

  /** A long run keeps some of its versions. */
  async #thin({ run }: RunFolders, shelves: Shelves, evaluated: ReadonlySet<number>): Promise<void> {
    const { own } = shelves;
    const stay = versionsThatStay(own.versions, evaluated);
    if (stay.length === own.versions.length) return;
    const folder = await run.getDirectoryHandle(FOLDER, { create: true });
    const staying = new Set(stay);
    for (const gone of own.versions) if (!staying.has(gone)) await remove(folder, gone);
    shelves.own = { ...own, versions: stay };
  }

  /** Versions of steps that the run went back behind before the model was put on the device, which others will have again. */
  async #forgetAfter(version: number, { run }: RunFolders, shelves: Shelves): Promise<void> {
    const { own } = shelves;
    const folder = await run.getDirectoryHandle(FOLDER, { create: true });
    for (const later of own.versions) if (later > version) await remove(folder, later);
    shelves.own = { ...own, versions: own.versions.filter((each) => each <= version) };
  }

  async #write(
    { root, run }: RunFolders,
    { version, packed }: FreshWeights,
    shelves: Shelves,
  ): Promise<void> {
    const { own, others, most } = shelves;
    const again = own.versions.includes(version);
    const leaving = makesRoom(again ? 0 : packed.byteLength, most, own, others);
    if (leaving === null) return;
    for (const gone of leaving.runs) await forget(root, gone);
    const folder = await run.getDirectoryHandle(FOLDER, { create: true });
    for (const gone of leaving.versions) await remove(folder, gone);
    const file = await folder.getFileHandle(`${version}`, { create: true });
    const writable = await file.createWritable();
    await writable.write(packed);
    await writable.close();
    const versions = own.versions.filter((each) => each !== version && !leaving.versions.includes(each));
    shelves.own = { ...own, versions: [...versions, version], each: packed.byteLength };
    shelves.others = others.filter((each) => !leaving.runs.includes(each.run));
  }

  /** Where the disk is full: what all runs keep so is forgotten, and this one keeps no more. Resolves to whether there was any. */
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

/** Of a version that another page has taken away nothing is left to do. */
const remove = (folder: FileSystemDirectoryHandle, version: number): Promise<void> =>
  folder.removeEntry(`${version}`).catch(() => undefined);

/** Forgets what all runs keep so. */
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
