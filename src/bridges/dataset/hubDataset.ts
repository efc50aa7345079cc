/** Finds the files of a dataset on the Hub that hold the rows which are asked for. */
import {
  addressText,
  parseModelAddress,
  type HubAddress,
  listRepository,
  type FindOptions,
  RANGE_BYTES,
  readRange,
  type RemoteFile,
  type Asking,
  type OpenFile,
} from '@rl-playground/engine/parts';
import { DatasetError } from './datasetError.ts';
import { parted, type DataSource } from './parts.ts';

export interface DatasetAddress extends HubAddress {
  /** A file, a folder, or a folder with the beginning of its files' names (`main/train`); null for the whole. */
  readonly path: string | null;
}

/** Reads `org/name[@revision][:path]`, with or without `hub:` before it; null for any other text. */
export function parseDatasetAddress(text: string): DatasetAddress | null {
  const [, name = '', path] = /^(?:hub:)?([^:]*)(?::(.*))?$/.exec(text.trim()) ?? [];
  const address = parseModelAddress(name);
  if (address?.kind !== 'hub') return null;
  const trimmed = path?.replace(/^\/+|\/+$/g, '') ?? '';
  return { ...address, path: trimmed === '' ? null : trimmed };
}

/** The text of an address, which reads back as the same. */
export function datasetText(address: DatasetAddress): string {
  return `hub:${addressText(address)}${address.path === null ? '' : `:${address.path}`}`;
}

export interface DataProgress {
  /** The bytes that have come. */
  readonly done: number;
  /** The bytes of all files; of large parquet files less comes. */
  readonly total: number;
}

/** The kinds of files, the likelier first: files of later kinds are copies or something else. */
const KINDS = [/\.parquet$/i, /\.(jsonl|ndjson)$/i, /\.(csv|tsv)$/i, /\.json$/i];
/** The names of files about a dataset. */
const ABOUT = /(^|\/)(dataset_infos?|dataset_dict|state|package|config)\.json$/i;
/** The folders whose rows are taken if there are several; the Hub's own library takes the first. */
const USUAL_FOLDERS = ['default', 'main', 'data'];
/** The most folders that an error names. */
const MOST_NAMED = 12;

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function chosenFiles(all: readonly RemoteFile[], { path }: DatasetAddress, label: string): RemoteFile[] {
  const exact = all.filter((file) => file.path === path);
  if (exact.length > 0) return exact;
  const within = all.filter(
    (file) => path === null || (file.path.startsWith(path) && /^[-/._]/.test(file.path.slice(path.length))),
  );
  const kind = KINDS.find((each) => within.some((file) => each.test(file.path) && !ABOUT.test(file.path)));
  const rows = within.filter((file) => kind?.test(file.path) === true && !ABOUT.test(file.path));
  if (rows.length === 0) {
    const folders = [...new Set(all.map((file) => folderOf(file.path)))].filter((folder) => folder !== '');
    throw new DatasetError(
      `${label}: none of its ${all.length} files${path === null ? '' : ` under "${path}"`} holds rows; parquet, JSONL, JSON or CSV is needed.${folders.length === 0 ? '' : ` Its folders are ${folders.slice(0, MOST_NAMED).join(', ')}.`}`,
    );
  }
  const folders = [...new Set(rows.map((file) => folderOf(file.path)))];
  if (folders.length === 1) return rows;
  // Parts may have folders of their own: `train/…`, `test/…`.
  const parents = new Set(folders.map((folder) => folder.replace(/(^|\/)(train|test|validation|dev)$/i, '')));
  if (parents.size === 1) return rows;
  const usual = path === null ? USUAL_FOLDERS.find((folder) => folders.includes(folder)) : undefined;
  if (usual !== undefined) return rows.filter((file) => folderOf(file.path) === usual);
  throw new DatasetError(
    `${label}: its rows lie in ${folders.length} folders (${folders.slice(0, MOST_NAMED).join(', ')}${folders.length > MOST_NAMED ? ', …' : ''}). Name one after a colon: ${label}:${folders[0] || 'FOLDER'}.`,
  );
}

/**
 * Looks up the commit and the files of a dataset, and fetches none of them.
 * @throws DatasetError or ModelFileError that says what to do, or the signal's reason.
 */
export async function sourceOnHub(
  address: DatasetAddress,
  options: FindOptions & { readonly onProgress?: (progress: DataProgress) => void } = {},
): Promise<DataSource> {
  const source = datasetText(address);
  const { commit, files: all } = await listRepository('dataset', address, source, options);
  let done = 0;
  const onBytes = (more: number): void => {
    done += more;
    options.onProgress?.({ done: Math.min(done, total), total });
  };
  const chosen = chosenFiles(all, address, source);
  const files = parted(
    chosen.map((file) => ({ name: file.path, file: openDatasetFile(file, source, options, onBytes) })),
  );
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  return { source, commit, files };
}

/** A file of the Hub that is read by ranges; one of at most `RANGE_BYTES` comes at once. `onBytes` hears of each piece that has come. */
function openDatasetFile(
  file: RemoteFile,
  label: string,
  asking: Asking,
  onBytes: (more: number) => void,
): OpenFile {
  let whole: Promise<Uint8Array> | null = null;
  const range = async (begin: number, end: number): Promise<Uint8Array> => {
    const bytes = new Uint8Array(end - begin);
    for (let at = begin; at < end; at += RANGE_BYTES) {
      const piece = await readRange(file, at, Math.min(at + RANGE_BYTES, end), label, asking);
      bytes.set(piece, at - begin);
      onBytes(piece.byteLength);
    }
    return bytes;
  };
  return {
    size: file.size,
    async read(begin, end) {
      if (file.size > RANGE_BYTES) return range(begin, end);
      whole ??= range(0, file.size);
      return (await whole).subarray(begin, end);
    },
  };
}
