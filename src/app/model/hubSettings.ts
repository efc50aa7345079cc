/** How a person wants the Hub to be asked, for models and for datasets. */
import { create } from 'zustand';
import { HUB_URL } from '../../hub/remote/listing.ts';
import { readAddress } from '../address.ts';
import { mayConnect } from '../connections/ask.ts';

interface HubSettings {
  /** Another server with the Hub's paths; empty for the Hugging Face Hub. */
  readonly hubUrl: string;
  /** In memory alone. */
  readonly token: string;
}

export const useHub = create<HubSettings>(() => ({ hubUrl: '', token: '' }));

/** As those who ask take them; what is not given is absent. */
export function hubSettings(): { hubUrl?: string; token?: string } {
  const { hubUrl, token } = useHub.getState();
  return {
    ...(hubUrl.trim() === '' ? {} : { hubUrl: hubUrl.trim() }),
    ...(token.trim() === '' ? {} : { token: token.trim() }),
  };
}

/** Resolves where the page may ask the Hub, or the server in its place. @throws Error where the visitor says no */
export async function mayAskHub(): Promise<void> {
  await mayConnect(hubSettings().hubUrl ?? HUB_URL);
}

/** A connection that brings or takes nothing is given up after the page's own deadline, where its address names one. */
export function patience(): { stallMilliseconds?: number } {
  const { deadline } = readAddress(window.location.search);
  return deadline === undefined ? {} : { stallMilliseconds: deadline.least };
}
