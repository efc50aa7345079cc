/** The run as the page has it: what makes it, its latest snapshot, and who generates for it. This module alone changes it. */
import { create } from 'zustand';
import type { ServerAddress, Invitation, InvitedMachines } from '@rl-playground/machines';
import type { PageGenerator, PageGeneratorState } from '@rl-playground/machines/pageGenerator';
import type { KeptRuns } from '@rl-playground/run/kept/keptRuns';
import { EMPTY_SNAPSHOT, type RunController, type RunSnapshot } from '@rl-playground/run/session';

/** `refused`: the browser lets the page show none. */
export type Notifying = 'off' | 'on' | 'refused';

/** Who is invited to generate for this page's run, and who of them is there. */
interface MachinesState {
  readonly address: string;
  readonly token: string;
  /** Whether generators of this page answer too. */
  readonly local: boolean;
  /** With the token, while somebody is invited. */
  readonly server: ServerAddress | null;
  readonly now: InvitedMachines | null;
  readonly working: boolean;
  readonly problem: string | null;
}

/** A page that is a generator: what it was invited to, and how it goes. */
interface GeneratorState {
  /** Null where the link holds none that can be used. */
  readonly invitation: Invitation | null;
  readonly name: string;
  /** Null until somebody has agreed. */
  readonly generator: PageGenerator | null;
  readonly now: PageGeneratorState | null;
  /** What is wrong with the link, or with joining. */
  readonly problem: string | null;
}

export interface RunState {
  /** Null until the training engine is loaded, and for good if that failed. */
  readonly controller: RunController | null;
  /** The runs that the browser keeps; there with the controller. */
  readonly kept: KeptRuns | null;
  readonly snapshot: RunSnapshot;
  /** Names what the user trains all the same, though the model can't read it. */
  readonly trainedAnyway: string | null;
  /** Whether the page says it elsewhere when a run is over. */
  readonly notifying: Notifying;
  readonly machines: MachinesState;
  readonly generator: GeneratorState;
}

export const useRun = create<RunState>(() => ({
  controller: null,
  kept: null,
  snapshot: EMPTY_SNAPSHOT,
  trainedAnyway: null,
  notifying: 'off',
  machines: { address: '', token: '', local: true, server: null, now: null, working: false, problem: null },
  generator: { invitation: null, name: '', generator: null, now: null, problem: null },
}));

export const showSnapshot = (snapshot: RunSnapshot): void => useRun.setState({ snapshot });

/** The engine is there. */
export const showRunOf = (controller: RunController, kept: KeptRuns): void =>
  useRun.setState({ controller, kept, snapshot: controller.snapshot() });

export const trainAnyway = (trainedAnyway: string): void => useRun.setState({ trainedAnyway });

export const setNotifying = (notifying: Notifying): void => useRun.setState({ notifying });

export const changeMachines = (changes: Partial<MachinesState>): void =>
  useRun.setState(({ machines }) => ({ machines: { ...machines, ...changes } }));

export const changeGenerator = (changes: Partial<GeneratorState>): void =>
  useRun.setState(({ generator }) => ({ generator: { ...generator, ...changes } }));
