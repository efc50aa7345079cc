/** How a person wants the Hub to be asked, and what the model picker has found there. This module alone changes it. */
import { create } from 'zustand';
import type { DownloadProgress, KeptModel } from '@rl-playground/engine/parts';
import type { FoundRemote } from '@rl-playground/run/models';

/** The model picker: what is named, what was found, how far a download is, and what this browser keeps. */
export interface ModelState {
  readonly text: string;
  readonly found: FoundRemote | null;
  readonly work: 'looking' | 'searching' | 'loading' | null;
  readonly progress: DownloadProgress | null;
  readonly failed: string | null;
  /** What happened last, in words; empty before anything did. */
  readonly said: string;
  /** Null until it was asked for. */
  readonly kept: readonly KeptModel[] | null;
  readonly results: readonly SearchResult[] | null;
}

export interface SearchResult {
  readonly name: string;
  readonly downloads: number;
}

interface HubSettings {
  /** Another server with the Hub's paths; empty for the Hugging Face Hub. */
  readonly hubUrl: string;
  /** In memory alone. */
  readonly token: string;
  readonly models: ModelState;
}

export const useHub = create<HubSettings>(() => ({
  hubUrl: '',
  token: '',
  models: {
    text: '',
    found: null,
    work: null,
    progress: null,
    failed: null,
    said: '',
    kept: null,
    results: null,
  },
}));

export const changeHub = (changes: Partial<Pick<HubSettings, 'hubUrl' | 'token'>>): void =>
  useHub.setState(changes);

export const changeModels = (changes: Partial<ModelState>): void =>
  useHub.setState(({ models }) => ({ models: { ...models, ...changes } }));
