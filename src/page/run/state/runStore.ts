/** The run on the page: its controller, its latest snapshot, and its generators. This module alone changes it. */
import { create } from 'zustand';
import type { ServerAddress, Invitation, InvitedMachines } from '@rl-playground/machines';
import type { MachineState } from '@rl-playground/machines/joining';
import type { PageGenerator } from '@rl-playground/machines/pageGenerator';
import type { KeptRuns } from '@rl-playground/run/kept/keptRuns';
import { until } from './phases.ts';
import {
  EMPTY_SNAPSHOT,
  type ProblemWatch,
  type RunController,
  type RunSnapshot,
  type Watched,
} from '@rl-playground/run/session';

/** `refused` where the browser allows the page no notifications. */
export type Notifying = 'off' | 'on' | 'refused';

/** The machines that are invited to generate for this page's run. */
interface MachinesState {
  readonly address: string;
  readonly token: string;
  /** True if generators of this page answer too. */
  readonly local: boolean;
  /** The server with its token, while somebody is invited. */
  readonly server: ServerAddress | null;
  readonly now: InvitedMachines | null;
  readonly working: boolean;
  readonly problem: string | null;
}

/** The state of a page that is a generator. */
interface GeneratorState {
  /** The invitation of the link; null if the link holds none. */
  readonly invitation: Invitation | null;
  readonly name: string;
  /** The page's generator; null until the visitor has agreed. */
  readonly generator: PageGenerator | null;
  readonly now: MachineState | null;
  readonly problem: string | null;
}

export interface RunState {
  /** The controller of the run; null until the training engine is loaded, and for good if that failed. */
  readonly controller: RunController | null;
  /** The runs that the browser keeps; there with the controller. */
  readonly kept: KeptRuns | null;
  readonly snapshot: RunSnapshot;
  /** Follows one problem through the run; there with the controller. */
  readonly watch: ProblemWatch | null;
  readonly watched: Watched | null;
  /** The task that the user trains although the model can't read it. */
  readonly trainedAnyway: string | null;
  readonly notifying: Notifying;
  readonly machines: MachinesState;
  readonly generator: GeneratorState;
}

export const useRun = create<RunState>(() => ({
  controller: null,
  kept: null,
  snapshot: EMPTY_SNAPSHOT,
  watch: null,
  watched: null,
  trainedAnyway: null,
  notifying: 'off',
  machines: { address: '', token: '', local: true, server: null, now: null, working: false, problem: null },
  generator: { invitation: null, name: '', generator: null, now: null, problem: null },
}));

export const showSnapshot = (snapshot: RunSnapshot): void => useRun.setState({ snapshot });

export function showWatch(watch: ProblemWatch): void {
  useRun.setState({ watch, watched: watch.snapshot() });
}

export const showRunOf = (controller: RunController, kept: KeptRuns): void =>
  useRun.setState({ controller, kept, snapshot: controller.snapshot() });

export const trainAnyway = (trainedAnyway: string): void => useRun.setState({ trainedAnyway });

export const setNotifying = (notifying: Notifying): void => useRun.setState({ notifying });

export const changeMachines = (changes: Partial<MachinesState>): void =>
  useRun.setState(({ machines }) => ({ machines: { ...machines, ...changes } }));

export const changeGenerator = (changes: Partial<GeneratorState>): void =>
  useRun.setState(({ generator }) => ({ generator: { ...generator, ...changes } }));

/** Resolves as soon as the page shows such a run. */
export const untilRun = (holds: (snapshot: RunSnapshot) => boolean): Promise<void> =>
  until(() => holds(useRun.getState().snapshot), useRun.subscribe);
