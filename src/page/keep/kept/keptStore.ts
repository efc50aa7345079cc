/** The store of kept runs, exports and hand-ins. Only this module changes it. */
import { create } from 'zustand';
import type { Pushed, PushProgress } from '@rl-playground/bridges/push';
import type { PushTarget } from '@rl-playground/bridges/push/target';
import type { OpenFile } from '@rl-playground/engine/parts';
import type { ExportFormat, WeightType } from '@rl-playground/run/export';
import type { Verdict } from '@rl-playground/run/handIn';
import type { HandoffSystem } from '@rl-playground/bridges/handoff/systems';
import type { KeptRun } from '@rl-playground/run/kept';
import { remember, remembered } from '../../ui/files/remember.ts';
import type { RunLabel } from './runLabel.ts';

/** The choices in the export dialog, and its progress. */
export interface ExportState {
  readonly format: ExportFormat;
  readonly type: WeightType;
  /** The system that continues the run. */
  readonly trainer: HandoffSystem;
  /** The share that is written, from 0 to 1; null while nothing is being written. */
  readonly progress: number | null;
  /** The present or last kind of work. */
  readonly work: 'download' | 'push';
  /** The reason for the last failure. */
  readonly problem: string | null;
}

/** The list that a person confirms before anything is sent. */
export interface PreparedPush {
  readonly target: PushTarget;
  /** The repository of this name, if it exists already. */
  readonly there: { readonly isPrivate: boolean } | null;
  readonly files: ReadonlyMap<string, OpenFile>;
}

/** The state of sending the model to the Hub. */
interface PushState {
  readonly repo: string;
  readonly isPrivate: boolean;
  readonly prepared: PreparedPush | null;
  /** `looking` asks the server for the repository; `calculating` makes the bytes of the files. */
  readonly stage: 'looking' | 'calculating' | PushProgress['stage'];
  /** The reason why a request is being tried again. */
  readonly retrying: string | null;
  readonly sent: (Pushed & Pick<PushTarget, 'repo'>) | null;
}

/** The claims of a hand-in. */
export interface HandInClaim {
  readonly learner: string;
  readonly task: string;
  readonly steps: number;
  /** The accuracies of its last evaluation; null if not measured. */
  readonly greedy: number | null;
  readonly sampled: number | null;
  /** The settings that differ from the task's own, in words. */
  readonly changes: string;
  readonly trainedOn: string;
  /** The number of answers that a re-run samples. */
  readonly answers: number;
}

/** A file in the table of hand-ins. */
export interface HandInFile {
  readonly id: number;
  readonly file: File;
  /** A file that can't be read claims nothing. */
  readonly claim: HandInClaim | null;
  readonly verdict: Verdict | null;
  /** The reason why it can't be read or made again. */
  readonly problem: string | null;
}

interface HandInsState {
  readonly files: readonly HandInFile[];
  /** The id of the file that is being checked. */
  readonly checking: number | null;
  /** The number of its steps that were made again and are the same. */
  readonly agreed: number;
  /** The measured seconds per answer; null before the first step of the first check. */
  readonly pace: number | null;
}

export interface KeptState {
  /** Newest first. */
  readonly runs: readonly KeptRun[];
  readonly labels: Readonly<Record<string, RunLabel>>;
  /** Null: the browser does not tell. */
  readonly storage: { readonly used: number; readonly quota: number } | null;
  /** The run that an action is working on. */
  readonly busy: string | null;
  /** True if this browser keeps the weights of past steps. */
  readonly pastWeights: boolean;
  readonly export: ExportState;
  readonly push: PushState;
  readonly handIns: HandInsState;
}

const PAST_WEIGHTS = 'rl-playground-past-weights';

export const useKept = create<KeptState>(() => ({
  runs: [],
  labels: {},
  storage: null,
  busy: null,
  pastWeights: remembered(PAST_WEIGHTS) !== 'off',
  export: { format: 'merged', type: 'base', trainer: 'trl', progress: null, work: 'download', problem: null },
  push: { repo: '', isPrivate: true, prepared: null, stage: 'looking', retrying: null, sent: null },
  handIns: { files: [], checking: null, agreed: 0, pace: null },
}));

export const showKept = (changes: Partial<Pick<KeptState, 'runs' | 'storage' | 'busy'>>): void =>
  useKept.setState(changes);

export const changeLabels = (change: (labels: KeptState['labels']) => KeptState['labels']): void =>
  useKept.setState(({ labels }) => ({ labels: change(labels) }));

export function keepPastWeights(pastWeights: boolean): void {
  useKept.setState({ pastWeights });
  remember(PAST_WEIGHTS, pastWeights ? null : 'off');
}

export const changeExport = (changes: Partial<ExportState>): void =>
  useKept.setState((state) => ({ export: { ...state.export, ...changes } }));

export const changePush = (changes: Partial<PushState>): void =>
  useKept.setState(({ push }) => ({ push: { ...push, ...changes } }));

export const changeHandIns = (change: (handIns: HandInsState) => Partial<HandInsState>): void =>
  useKept.setState(({ handIns }) => ({ handIns: { ...handIns, ...change(handIns) } }));

/** The runs that are not marked as deleted. */
export function present({ runs, labels }: Pick<KeptState, 'runs' | 'labels'>): KeptRun[] {
  return runs.filter(({ run }) => labels[run]?.deleted === undefined);
}
