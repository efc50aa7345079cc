/** The page's state: the settings form, the latest snapshot of the run, and messages of the page itself. */
import { create } from 'zustand';
import type { RunConfig } from '../config/schema.ts';
import type { Notice, RunController, RunSnapshot } from '../run/types.ts';
import { readAddress } from './lib/address.ts';

export interface AppState {
  readonly form: RunConfig;
  /** Null until the training engine is loaded, and for good if that failed. */
  readonly controller: RunController | null;
  readonly snapshot: RunSnapshot;
  /** Messages that no run is to blame for: the address, the start, an action that failed. */
  readonly pageNotices: readonly Notice[];
}

const WAITING: RunSnapshot = {
  phase: 'loading',
  backend: null,
  modelName: null,
  parameterCount: null,
  config: null,
  step: 0,
  totalSteps: 0,
  metrics: [],
  evaluations: [],
  rollouts: [],
  progress: null,
  notices: [],
  wallSeconds: 0,
};

export const useApp = create<AppState>(() => {
  const { config, notices } = readAddress(window.location.search);
  return { form: config, controller: null, snapshot: WAITING, pageNotices: notices };
});
