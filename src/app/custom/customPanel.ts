/** What the rest of the page asks of the panel for own tasks. */
import { create } from 'zustand';

interface OwnPanelState {
  readonly open: boolean;
  /** A file of rows that was dropped and not read yet. */
  readonly dropped: File | null;
}

export const useOwnPanel = create<OwnPanelState>(() => ({ open: false, dropped: null }));

const ROWS_FILE = /\.(jsonl|ndjson|json|csv|tsv|txt)$/i;

/** Whether a dropped file is one of rows, going by its name. */
export function isRowsFile({ name }: File): boolean {
  return ROWS_FILE.test(name);
}

/** Opens the panel with a file of rows to be read. */
export function dropRows(file: File): void {
  useOwnPanel.setState({ open: true, dropped: file });
}
