/** The questions to the Hub, for models and for datasets, and the state of the model picker. This module alone changes it. */
import { create } from 'zustand';
import { secretOf, type Secret } from '@rl-playground/base/secret';
import { HUB_URL, type DownloadProgress, type GgufChoice, type KeptModel } from '@rl-playground/engine/parts';
import type { FoundRemote } from '@rl-playground/run/models';
import type { PresetName } from '@rl-playground/run/settings';
import { readAddress } from '../address/address.ts';
import { mayConnect } from '../connections/ask.ts';

/** The state of the model picker: what is named, what was found, how far a download is, and what this browser keeps. */
export interface ModelState {
  readonly text: string;
  readonly found: FoundRemote | null;
  /** The GGUF files of the repository that was looked up, the smallest first. */
  readonly choices: readonly GgufChoice[];
  readonly work: 'looking' | 'searching' | 'loading' | null;
  readonly progress: DownloadProgress | null;
  readonly failed: string | null;
  /** The outcome of the last work; empty before there was any. */
  readonly said: string;
  /** The models that this browser keeps; null until their list was read. */
  readonly kept: readonly KeptModel[] | null;
  readonly results: readonly SearchResult[] | null;
  /** The preset whose model is being loaded, or could not be; null for none. */
  readonly begun: PresetName | null;
}

export interface SearchResult {
  readonly name: string;
  readonly downloads: number;
}

interface HubSettings {
  /** The address of another server with the Hub's paths; empty for the Hugging Face Hub. */
  readonly hubUrl: string;
  /** The token is kept in memory only. */
  readonly token: string;
  readonly models: ModelState;
}

export const useHub = create<HubSettings>(() => ({
  hubUrl: '',
  token: '',
  models: {
    text: '',
    found: null,
    choices: [],
    work: null,
    progress: null,
    failed: null,
    said: '',
    kept: null,
    results: null,
    begun: null,
  },
}));

export const changeHub = (changes: Partial<Pick<HubSettings, 'hubUrl' | 'token'>>): void =>
  useHub.setState(changes);

export const changeModels = (changes: Partial<ModelState>): void =>
  useHub.setState(({ models }) => ({ models: { ...models, ...changes } }));

/** The fault that `check` finds in the token, which itself stays in this folder. */
export const useTokenCheck = (check: (token: string) => string | null): string | null =>
  useHub(({ token }) => check(token.trim()));

/** The origin of the server that is asked, or null while the text is no address. */
export function serverOf({ hubUrl }: { readonly hubUrl: string }): string | null {
  const text = hubUrl.trim() === '' ? HUB_URL : hubUrl.trim();
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? new URL(text).origin : null;
}

/** Asks another server from now on. The token is forgotten then, because it is for the server beside which it was typed. */
export function setServer(hubUrl: string): void {
  const before = serverOf(useHub.getState());
  changeHub({ hubUrl, ...(before !== serverOf({ hubUrl }) && { token: '' }) });
}

/** The settings that were given, for a request. */
export function hubSettings(): { hubUrl?: string; secret?: Secret } {
  const settings = useHub.getState();
  const [hubUrl, server] = [settings.hubUrl.trim(), serverOf(settings)];
  const secret = server === null ? undefined : secretOf(settings.token, server);
  return { ...(hubUrl !== '' && { hubUrl }), ...(secret && { secret }) };
}

/** Resolves where the page may ask the Hub, or the server in its place. @throws Error where the visitor says no */
export async function mayAskHub(): Promise<void> {
  await mayConnect(hubSettings().hubUrl ?? HUB_URL);
}

/** The deadline for a silent connection, where the page's address names one. */
export function patience(): { stallMilliseconds?: number } {
  const { deadline } = readAddress(window.location.search);
  return deadline === undefined ? {} : { stallMilliseconds: deadline.least };
}
