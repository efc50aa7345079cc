/**
 * The data of a run's warm-up: demonstrations of its tasks, or the rows of a file, which the page keeps and which go with the run. Where
 * those rows are missing, a notice says so.
 */
import { breathe, type Renderer, type LoadedModel, type Sequence } from '@rl-playground/engine/parts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { DEMONSTRATIONS } from '../settings/schema/sft.ts';
import { taskMix } from '../loop/taskMix.ts';
import type { SftFile } from './sftRows.ts';
import { sftNote, sftSequences, sftStream } from './sftStream.ts';
import { demonstrationStream } from './demonstrations.ts';

export interface SftData {
  /** The `index`-th sequence to learn from. */
  readonly sequenceAt: (index: number) => Sequence;
  /** The positions that the longest of them needs; 0 for demonstrations, which need no more than the run's own problems. */
  readonly positions: number;
  /** A notice of the rows that were cut or left out; null where there are none. */
  readonly note: { readonly title: string; readonly text: string } | null;
}

/** The file that a run can't begin without; null where it learns from demonstrations, or has no warm-up. */
export function wantedFile({
  warmStartSteps,
  warmStartData,
}: Pick<RunConfig, 'warmStartSteps' | 'warmStartData'>): string | null {
  return warmStartSteps > 0 && warmStartData !== DEMONSTRATIONS ? warmStartData : null;
}

/** The text that says what to do about a file that is not there. */
function missingFile(name: string): string {
  return `The warm-up learns from the file "${name}", which is not loaded: rows stay in the browser where they were dropped. Choose that file under Supervised warm-up, use the task's demonstrations, or set the updates of the warm-up to 0.`;
}

/** Opens the data for a run. @throws Error where the settings name another file than `file`, or nothing of it can be learned from. */
export async function openSftData(
  config: RunConfig,
  model: LoadedModel,
  renderer: Renderer,
  file: SftFile | null,
): Promise<SftData> {
  const wanted = wantedFile(config);
  if (wanted === null) {
    const { promptStyle } = model;
    const sequenceAt = demonstrationStream({ config, tasks: taskMix(config), renderer, promptStyle });
    return { sequenceAt, positions: 0, note: null };
  }
  if (file?.name !== wanted) throw new Error(missingFile(wanted));
  const limits = { maxTokens: config.maxTokens, maxPositions: model.config.maxPositions };
  const rows = await sftSequences(file, { renderer, tokenizer: model.tokenizer }, limits, breathe);
  const text = sftNote(rows, limits);
  return {
    sequenceAt: sftStream(rows.sequences, config.seed),
    positions: rows.longest,
    note: text === null ? null : { title: `Not all of ${wanted} is used`, text },
  };
}

export interface SftFiles {
  /** The rows of that name; null where the page has none. */
  find(name: string): SftFile | null;
  /** Takes in the rows of a loaded checkpoint's warm-up. */
  adopt(file: SftFile): Promise<void>;
}

/** The rows that a new run of these settings begins with. */
export function sftRows(config: RunConfig, files: SftFiles): { sftFile?: SftFile } {
  const name = wantedFile(config);
  const sftFile = name === null ? null : files.find(name);
  return sftFile === null ? {} : { sftFile };
}

/** A notice that the rows which `config` names are missing; null where they are here. */
export function sftProblem(config: RunConfig, files: SftFiles): { title: string; text: string } | null {
  const name = wantedFile(config);
  if (name === null || files.find(name) !== null) return null;
  return { title: 'The rows for the warm-up are missing', text: missingFile(name) };
}
