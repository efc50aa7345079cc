/** The rows that a run's warm start learns from, as a file of its checkpoint. */
import type { RunConfig } from '../../config/schema.ts';
import { readSftRows, writeSftRows, type SftFile } from '../../rl/sft/sftRows.ts';
import { wantedFile } from '../sftData.ts';

export const SFT_FILE = 'warm_start.jsonl';

/** Empty for a run without rows of its own. */
export function sftFiles(file: SftFile | undefined): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  if (file !== undefined) files.set(SFT_FILE, new TextEncoder().encode(writeSftRows(file.rows)));
  return files;
}

/** The rows under the name that the run's settings know them by; nothing where they name none. @throws SftRowsError */
export function readSftFile(bytes: Uint8Array, config: RunConfig | null): { readonly sftFile?: SftFile } {
  const name = config === null ? null : wantedFile(config);
  if (name === null) return {};
  return { sftFile: { name, rows: readSftRows(new TextDecoder().decode(bytes), name) } };
}
