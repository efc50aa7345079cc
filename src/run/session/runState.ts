/** The states of a run, and the one table of how it goes from one to another. */
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import type { RunLog } from '../records/runLog.ts';
import type { Session } from './session.ts';
import type { RunListener } from './types.ts';

/** A run off the device, by its checkpoint: it was opened and has not gone on yet, or its device is gone. `log` has what else is kept of it. */
export const standAt = (saved: CheckpointParts, log: RunLog) => ({
  saved,
  log,
  config: saved.runConfig,
  step: saved.trainerState?.step ?? 0,
  sftLosses: saved.trainerState?.sftLosses ?? [],
  evaluations: saved.evaluations,
  promptMoment: saved.trainerState?.promptMoment,
  parts: () => Promise.resolve(saved),
});
export type Stand = ReturnType<typeof standAt>;

/** A run on the device, or off it. */
export type Run = Session | Stand;

/** A person's wish for the work under way: it goes on, pauses after the step, or stops. */
export type Wish = 'go' | 'pause' | 'stop';

interface Busy {
  readonly wish: Wish;
  /** Breaks off the work. */
  readonly abort: AbortController;
}

export type RunState =
  /** There is no run. A model to begin from may be loaded, or a checkpoint to go on from. */
  | { readonly name: 'Idle'; readonly run: null }
  /** A device, a model, files or a session are coming up. `deviceGone`: a call to the device failed, so another has to come up first. */
  | ({ readonly name: 'Opening'; readonly run: Run | null; readonly deviceGone: boolean } & Busy)
  /** The session trains, evaluates or answers. */
  | ({ readonly name: 'Working'; readonly run: Session } & Busy)
  | { readonly name: 'Resting'; readonly run: Run }
  /** A call to the device failed: before anything else is done there, another device takes its place. */
  | { readonly name: 'Lost'; readonly run: Run | null };

export type RunEvent =
  /** Somebody asks for work. */
  | { readonly type: 'begin' }
  /** Another run, or none, takes the place of the one that is held. */
  | { readonly type: 'hold'; readonly run: Run | null }
  /** A device has come up. */
  | { readonly type: 'renew' }
  /** The session is there. */
  | { readonly type: 'work'; readonly run: Session }
  | { readonly type: 'wish'; readonly wish: Wish }
  /** The device is gone, and the work under way is tried again on another. */
  | { readonly type: 'reopen'; readonly run: Run | null }
  /** The work is over, or failed with the device in order. */
  | { readonly type: 'rest'; readonly run: Run | null }
  /** The work failed, and the device with it. */
  | { readonly type: 'lose'; readonly run: Run | null };

type Named<N extends RunState['name']> = Extract<RunState, { readonly name: N }>;
type Table = {
  readonly [N in RunState['name']]: {
    readonly [T in RunEvent['type']]?: (
      state: Named<N>,
      event: Extract<RunEvent, { readonly type: T }>,
    ) => RunState;
  };
};

const opening = (run: Run | null, deviceGone: boolean, busy?: Busy): RunState => ({
  name: 'Opening',
  run,
  deviceGone,
  wish: busy?.wish ?? 'go',
  abort: busy?.abort ?? new AbortController(),
});
const resting = (run: Run | null): RunState =>
  run === null ? { name: 'Idle', run } : { name: 'Resting', run };
const lost = (run: Run | null): RunState => ({ name: 'Lost', run });

/** The events that each state allows, and the states to which they lead. */
export const TRANSITIONS: Table = {
  Idle: {
    begin: () => opening(null, false),
  },
  Opening: {
    hold: (state, { run }) => ({ ...state, run }),
    renew: (state) => ({ ...state, deviceGone: false }),
    work: ({ wish, abort }, { run }) => ({ name: 'Working', run, wish, abort }),
    wish: (state, { wish }) => ({ ...state, wish }),
    reopen: (state, { run }) => opening(run, true, state),
    rest: ({ deviceGone }, { run }) => (deviceGone ? lost(run) : resting(run)),
    lose: (_, { run }) => lost(run),
  },
  Working: {
    wish: (state, { wish }) => ({ ...state, wish }),
    reopen: (state, { run }) => opening(run, true, state),
    rest: (_, { run }) => resting(run),
    lose: (_, { run }) => lost(run),
  },
  Resting: {
    begin: ({ run }) => opening(run, false),
  },
  Lost: {
    begin: ({ run }) => opening(run, true),
  },
};

/** The state that follows. @throws Error where the table has no such transition. */
export function next(state: RunState, event: RunEvent): RunState {
  // The table's types pair each state and event with their transition; TypeScript can't follow them through an index.
  const row: { readonly [T in RunEvent['type']]?: (state: never, event: never) => RunState } =
    TRANSITIONS[state.name];
  const transition = row[event.type];
  if (transition === undefined) {
    if (event.type === 'begin')
      throw new Error('The engine is busy. Wait for it, or pause or stop the run first.');
    throw new Error(`A run that is ${state.name} can’t ${event.type}.`);
  }
  return transition(state as never, event as never);
}

/** Holds the state of the page's run, and those that hear of it. A session that it lets go leaves the device. */
export class RunMachine {
  readonly listeners = new Set<RunListener>();
  #state: RunState = { name: 'Idle', run: null };

  get state(): RunState {
    return this.#state;
  }

  get run(): Run | null {
    return this.#state.run;
  }

  get isBusy(): boolean {
    return this.#state.name === 'Opening' || this.#state.name === 'Working';
  }

  get wish(): Wish {
    return 'wish' in this.#state ? this.#state.wish : 'go';
  }

  /** Aborts where the work under way is broken off. */
  get signal(): AbortSignal {
    return 'abort' in this.#state ? this.#state.abort.signal : new AbortController().signal;
  }

  apply(event: RunEvent): void {
    const { run } = this.#state;
    this.#state = next(this.#state, event);
    if (run !== this.#state.run && run !== null && 'dispose' in run) run.dispose();
  }

  /** Takes note of what a person wants. `atOnce`: what is under way is broken off. */
  want(wish: Wish, { atOnce = false } = {}): void {
    this.apply({ type: 'wish', wish });
    if (atOnce && 'abort' in this.#state) this.#state.abort.abort();
  }
}
