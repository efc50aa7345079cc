/** The small files of a model folder. They are read when they are needed, and kept, because a checkpoint carries them along unchanged. */
import { COMMIT_FILE } from './commitRecord.ts';
import {
  checkTextSize,
  LARGEST_TEXT,
  missingFile,
  openFile,
  parseJsonObject,
  type LoadOptions,
} from './readFile.ts';
import type { ModelFiles } from './types.ts';

const WEIGHT_FILE = /\.(safetensors|safetensors\.index\.json|bin|pt|pth|onnx|gguf|h5|msgpack)$/;
/** Files that describe the folder they are in, and would be wrong in another. */
const OF_FOLDER: ReadonlySet<string> = new Set(['README.md', COMMIT_FILE]);

export class SideFiles {
  readonly files: ModelFiles;
  /** All files that were read, by name. */
  readonly kept = new Map<string, Uint8Array>();
  readonly options: LoadOptions;

  constructor(files: ModelFiles, options: LoadOptions) {
    this.files = files;
    this.options = options;
  }

  /** The bytes of a file that was read. */
  bytes(name: string): Uint8Array {
    return this.kept.get(name) ?? new Uint8Array();
  }

  /** @throws ModelFileError if it does not exist, or is no JSON object. */
  async json(name: string): Promise<object> {
    const bytes = await this.optional(name);
    if (bytes === null) throw missingFile(this.files, name);
    return parseJsonObject(bytes, name, this.files.label);
  }

  /** Reads a file; null if it does not exist. @throws ModelFileError if it is too large to be read at once. */
  async optional(name: string): Promise<Uint8Array | null> {
    const file = await openFile(this.files, name, this.options);
    if (file === null) return null;
    checkTextSize(this.files, name, file.size);
    const bytes = await file.read(0, file.size);
    this.kept.set(name, bytes);
    return bytes;
  }

  /** Reads a file; null if it does not exist. @throws ModelFileError if it is no JSON object. */
  async optionalJson(name: string): Promise<object | null> {
    const bytes = await this.optional(name);
    return bytes && parseJsonObject(bytes, name, this.files.label);
  }

  /**
   * Keeps every small file if the source lists its files. Over a URL only those that were needed are kept, because each miss would be an
   * error in the browser's console.
   */
  async keepRest(): Promise<void> {
    for (const name of this.files.names ?? []) {
      if (this.kept.has(name) || name.includes('/') || OF_FOLDER.has(name) || WEIGHT_FILE.test(name))
        continue;
      const file = await openFile(this.files, name, this.options);
      if (file !== null && file.size <= LARGEST_TEXT) this.kept.set(name, await file.read(0, file.size));
    }
  }
}
