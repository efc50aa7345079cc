/** The page's state: the settings form, the latest snapshot of the run, and messages of the page itself. */
import { create } from 'zustand';
import type { RunConfig } from '../../../config/schema.ts';
import { EMPTY_SNAPSHOT } from '../../../run/state.ts';
import type { Notice, RunController, RunSnapshot } from '../../../run/types.ts';
import type { Task } from '@rl-playground/tasks/parts';
import { readAddress } from '../address/address.ts';
import type { Classroom, PagePart } from '../address/classroom.ts';

/** A question to the visitor, before the page talks to servers that are not its own. */
export interface ConnectionAsked {
  /** As a policy names them: `https://host`; the first is the one that is meant, others are what it sends on to. */
  readonly servers: readonly string[];
  readonly answer: (allowed: boolean) => void;
}

/** A message of the page, which may come with something to do about it. */
export interface PageNotice extends Notice {
  readonly action?: { readonly label: string; readonly act: () => void };
}

export interface AppState {
  readonly form: RunConfig;
  /** What the address takes away. */
  readonly classroom: Classroom;
  /** Null until the training engine is loaded, and for good if that failed. */
  readonly controller: RunController | null;
  readonly snapshot: RunSnapshot;
  /** Messages that no run is to blame for: the address, the start, an action that failed. */
  readonly pageNotices: readonly PageNotice[];
  /** The user's tasks, in the order of their names. */
  readonly customTasks: readonly Task[];
  /** Whether the panel that makes them is open. */
  readonly customPanelOpen: boolean;
  /** Whether the form that asks the model is open. */
  readonly askOpen: boolean;
  /** Whether the dialog that finds and loads models is open. */
  readonly modelPickerOpen: boolean;
  readonly exportOpen: boolean;
  /** A file of rows for a custom task that was dropped and not read yet. */
  readonly droppedRows: File | null;
  /** Share of an ONNX file that is written, from 0 to 1; null while none is being written. */
  readonly onnxProgress: number | null;
  readonly connection: ConnectionAsked | null;
}

export const useApp = create<AppState>(() => {
  const { config, classroom, notices } = readAddress(window.location.search);
  return {
    form: config,
    classroom,
    controller: null,
    snapshot: EMPTY_SNAPSHOT,
    pageNotices: notices,
    customTasks: [],
    customPanelOpen: false,
    askOpen: false,
    modelPickerOpen: false,
    exportOpen: false,
    droppedRows: null,
    onnxProgress: null,
    connection: null,
  };
});

/** Whether the address leaves a part of the page out. */
export function useHidden(part: PagePart): boolean {
  return useApp((state) => state.classroom.hidden.has(part));
}
