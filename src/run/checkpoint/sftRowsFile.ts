/** The rows that a run's warm start learns from, as a file of its checkpoint. */
import type { RunConfig } from '../../config/schema.ts';
import { readSftRows, writeSftRows, type SftFile } from '../../rl/sft/sftRows.ts';
import { wantedFile } from '../sftData.ts';

export const WARM_START_FILE = 'warm_start.jsonl';

/** Empty for a run without rows of its own. */
export function warmStartFiles(file: SftFile | undefined): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  if (file !== undefined) files.set(WARM_START_FILE, new TextEncoder().encode(writeSftRows(file.rows)));
  return files;
}

/** The rows under the name that the run's settings know them by; nothing where they name none. @throws SftRowsError */
export function readWarmStartFile(
  bytes: Uint8Array,
  config: RunConfig | null,
): { readonly warmStartFile?: SftFile } {
  const name = config === null ? null : wantedFile(config);
  if (name === null) return {};
  return { warmStartFile: { name, rows: readSftRows(new TextDecoder().decode(bytes), name) } };
}
