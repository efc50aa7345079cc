/** What is kept of runs and goes out of the page: the list in this browser, files, what is sent or handed in. This module alone changes it. */
import { create } from 'zustand';
import type { Pushed, PushProgress } from '@rl-playground/bridges/push';
import type { PushTarget } from '@rl-playground/bridges/push/target';
import type { Ignored } from '@rl-playground/run/settings/files';
import type { OpenFile } from '@rl-playground/engine/parts';
import type { ExportFormat, WeightType } from '@rl-playground/run/export';
import type { HandIn, HandInDifference } from '@rl-playground/run/handIn';
import type { HandoffSystem } from '@rl-playground/bridges/handoff/systems';
import type { KeptRun } from '@rl-playground/run/kept';

/** What a person says of a run, and what is to become of it. */
export interface RunLabel {
  readonly run: string;
  /** In place of the name that its id gives it. */
  readonly name?: string | undefined;
  readonly note?: string | undefined;
  /** Runs of the same settings with one seed after the other have the same. */
  readonly group?: string | undefined;
  /** What it was forked from. */
  readonly parent?: { readonly run: string; readonly step: number } | undefined;
  /** Milliseconds since 1970, when it was deleted: its files go when the page is next opened. */
  readonly deleted?: number | undefined;
}

/** What a loaded file said that this project reads otherwise, or not at all. */
export interface SettingsReport {
  readonly file: string;
  readonly replaced: readonly string[];
  readonly ignored: readonly Ignored[];
}

/** What the dialog that takes the model elsewhere has been asked for, and how far it is. */
export interface ExportState {
  readonly format: ExportFormat;
  readonly type: WeightType;
  /** Who is to go on with the run. */
  readonly trainer: HandoffSystem;
  /** 0 to 1; null while nothing is written. */
  readonly progress: number | null;
  /** What is being done, or was last. */
  readonly work: 'download' | 'push';
  /** Why the last one failed; null where it did not. */
  readonly problem: string | null;
}

/** What stands on the page before anything is sent. */
export interface PreparedPush {
  readonly target: PushTarget;
  /** The repository, where one of this name is there already. */
  readonly there: { readonly isPrivate: boolean } | null;
  readonly files: ReadonlyMap<string, OpenFile>;
}

/** Sending the model to the Hub: what was asked for, what is to be confirmed, and how far it is. */
interface PushState {
  readonly repo: string;
  readonly isPrivate: boolean;
  /** Null until a push is to be confirmed. */
  readonly prepared: PreparedPush | null;
  /** `looking`: whether the repository is there; `calculating`: the bytes of the files. */
  readonly stage: 'looking' | 'calculating' | PushProgress['stage'];
  /** Why something is tried again; null while it goes well. */
  readonly retrying: string | null;
  /** What was sent last. */
  readonly sent: (Pushed & Pick<PushTarget, 'repo'>) | null;
}

/** `refuted`: by its own answers; `undecided`: this machine rounds otherwise; `unconfirmed`: an evaluation was not made again. */
export type Verdict =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'refuted' | 'different' | 'undecided' | 'unconfirmed';
      readonly difference: HandInDifference;
    };

/** A hand-in that is checked by making its run again. */
interface HandInState {
  readonly handIn: HandIn | null;
  readonly replaying: boolean;
  /** Steps made again so far that are the same. */
  readonly agreed: number;
  readonly verdict: Verdict | null;
  readonly problem: string | null;
}

export interface KeptState {
  /** The newest first. */
  readonly runs: readonly KeptRun[];
  /** By the run. */
  readonly labels: Readonly<Record<string, RunLabel>>;
  /** Null where the browser does not say. */
  readonly storage: { readonly used: number; readonly quota: number } | null;
  /** The run that something is done with. */
  readonly busy: string | null;
  /** Whether this browser keeps the weights of past steps. */
  readonly pastWeights: boolean;
  /** Of the settings file that was loaded last. */
  readonly report: SettingsReport | null;
  readonly export: ExportState;
  readonly push: PushState;
  readonly handIn: HandInState;
}

const NO_HAND_IN: HandInState = {
  handIn: null,
  replaying: false,
  agreed: 0,
  verdict: null,
  problem: null,
};

export const useKept = create<KeptState>(() => ({
  runs: [],
  labels: {},
  storage: null,
  busy: null,
  pastWeights: true,
  report: null,
  export: { format: 'merged', type: 'base', trainer: 'trl', progress: null, work: 'download', problem: null },
  push: { repo: '', isPrivate: true, prepared: null, stage: 'looking', retrying: null, sent: null },
  handIn: NO_HAND_IN,
}));

export const showKept = (changes: Partial<Pick<KeptState, 'runs' | 'storage'>>): void =>
  useKept.setState(changes);

/** Something is done with a run; null: no longer. */
export const markBusy = (busy: string | null): void => useKept.setState({ busy });

export const changeLabels = (change: (labels: KeptState['labels']) => KeptState['labels']): void =>
  useKept.setState(({ labels }) => ({ labels: change(labels) }));

export const showPastWeights = (pastWeights: boolean): void => useKept.setState({ pastWeights });

export const showReport = (report: SettingsReport | null): void => useKept.setState({ report });

export const changeExport = (changes: Partial<ExportState>): void =>
  useKept.setState((state) => ({ export: { ...state.export, ...changes } }));

export const changePush = (changes: Partial<PushState>): void =>
  useKept.setState(({ push }) => ({ push: { ...push, ...changes } }));

export const changeHandIn = (changes: Partial<HandInState>): void =>
  useKept.setState(({ handIn }) => ({ handIn: { ...handIn, ...changes } }));

export const forgetHandIn = (): void => useKept.setState({ handIn: NO_HAND_IN });

/** Those that were not deleted. */
export function present({ runs, labels }: Pick<KeptState, 'runs' | 'labels'>): KeptRun[] {
  return runs.filter(({ run }) => labels[run]?.deleted === undefined);
}
