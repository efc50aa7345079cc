/** Rows for warm starts as the page keeps them, and what a run does where they are missing. */
import type { RunConfig } from '../config/schema.ts';
import type { SftFile } from '../rl/sft/sftRows.ts';
import { sameRun } from './session.ts';
import { missingFile, wantedFile } from './sftData.ts';

export interface SftFiles {
  /** The rows of that name; null where the page has none. */
  find(name: string): SftFile | null;
  /** Takes in the rows that a loaded checkpoint's warm start learns from. */
  adopt(file: SftFile): Promise<void>;
}

/** What a new run of these settings begins with. */
export function sftRows(config: RunConfig, files: SftFiles): { sftFile?: SftFile } {
  const name = wantedFile(config);
  const sftFile = name === null ? null : files.find(name);
  return sftFile === null ? {} : { sftFile };
}

/** A notice that the rows which `config` names are missing; null where they are here, or the unfinished run `atHand` has them. */
export function sftProblem(
  config: RunConfig,
  files: SftFiles,
  atHand: RunConfig | null,
): { title: string; text: string } | null {
  const name = wantedFile(config);
  if (name === null || files.find(name) !== null) return null;
  if (atHand !== null && sameRun(atHand, { ...config, model: atHand.model })) return null;
  return { title: 'The rows for the warm-up are missing', text: missingFile(name) };
}
