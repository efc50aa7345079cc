/**
 * The files of a run, wherever they lie: a checkpoint that the browser keeps, a zip, a folder of a run directory or of this machine. They
 * are read here, once, and each is parsed once; what makes parts of a run of them takes this record.
 */
import {
  OpenFolder,
  parseSafetensors,
  type ModelFiles,
  type SafetensorsFile,
  WEIGHT_FILES,
} from '@rl-playground/engine/parts';
import { messageOf } from '@rl-playground/base/errors';
import { evalResultFromJson, sortedEvalFiles } from '../records/evalFiles.ts';
import { readMetricsLog } from '../records/metricsLog.ts';
import { CheckpointError, type CheckpointParts } from './checkpointParts.ts';

/** The files beside the model, in the folder of a checkpoint. */
export const RUN_FILES = {
  optimizer: 'optimizer.safetensors',
  reference: 'reference.safetensors',
  valueHead: 'value_head.safetensors',
  trainerState: 'trainer_state.json',
  metrics: 'metrics.jsonl',
  customTasks: 'own_tasks.json',
  taskRows: 'dataset_rows.json',
  /** Rows of the user's that the warm-up learns from. */
  sft: 'warm_start.jsonl',
} as const;

/** Says which model an adapter belongs to whose base is frozen. */
export const BASE_FILE = 'base_model.json';

export const ADAPTER_FILES = {
  config: 'adapter/adapter_config.json',
  weights: 'adapter/adapter_model.safetensors',
  baseConfig: 'base/config.json',
  base: `base/${WEIGHT_FILES.single}`,
} as const;

const isText = (name: string): boolean => /\.jsonl?$/.test(name);
const TEXTS: readonly string[] = [
  'config.json',
  BASE_FILE,
  ADAPTER_FILES.config,
  ...Object.values(RUN_FILES).filter(isText),
];

export class RunFiles {
  readonly folder: OpenFolder;

  private constructor(folder: OpenFolder) {
    this.folder = folder;
  }

  /** Reads the texts of a run, or some of them. Tensors are read from their open files when they are asked for. */
  static async read(files: ModelFiles, texts = TEXTS): Promise<RunFiles> {
    const folder = OpenFolder.of(files);
    for (const name of texts) await folder.read(name);
    if (texts === TEXTS) for (const name of sortedEvalFiles(folder.names ?? [])) await folder.read(name);
    return new RunFiles(folder);
  }

  get label(): string {
    return this.folder.label;
  }

  get names(): readonly string[] {
    return this.folder.names ?? [];
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** Returns what `parse` makes of the object in a file, or null if the file does not exist. @throws CheckpointError naming the file */
  json<T>(name: string, parse: (json: object) => T): T | null {
    return this.#parsed(name, () => this.folder.object(name), parse);
  }

  /** Returns what `parse` makes of a text. @throws likewise */
  text<T>(name: string, parse: (text: string) => T): T | null {
    return this.#parsed(
      name,
      () => this.folder.bytes(name),
      (bytes) => parse(new TextDecoder().decode(bytes)),
    );
  }

  /** Returns what `parse` makes of tensors; `where` names their file in messages. @throws likewise */
  async tensors<T>(name: string, parse: (file: SafetensorsFile, where: string) => T): Promise<T | null> {
    const where = `${this.label}: ${name}`;
    const file = await this.folder.open(name);
    const bytes = file && (await file.read(0, file.size));
    return this.#parsed(
      name,
      () => bytes && parseSafetensors(bytes, where),
      (found) => parse(found, where),
    );
  }

  #parsed<S, T>(name: string, find: () => S | null, parse: (found: S) => T): T | null {
    try {
      const found = find();
      return found === null ? null : parse(found);
    } catch (error) {
      if (error instanceof CheckpointError) throw error;
      throw new CheckpointError(
        `${this.label}: ${name} can't be used: ${messageOf(error)}. Load an undamaged checkpoint, or take out what can't be used to load the rest.`,
      );
    }
  }
}

/** The metrics and the evaluations of a run, in order. @throws CheckpointError naming the file that can't be read */
export function recordsOf(files: RunFiles): Pick<CheckpointParts, 'metrics' | 'evaluations'> {
  return {
    metrics: files.text(RUN_FILES.metrics, readMetricsLog) ?? [],
    evaluations: sortedEvalFiles(files.names).flatMap((name) => files.json(name, evalResultFromJson) ?? []),
  };
}
