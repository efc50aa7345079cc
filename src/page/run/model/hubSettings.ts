/** How a person wants the Hub to be asked, for models and for datasets. */
import { secretOf, type Secret } from '@rl-playground/base/secret';
import { HUB_URL } from '@rl-playground/engine/parts';
import { readAddress } from '../address/address.ts';
import { mayConnect } from '../connections/ask.ts';
import { changeHub, useHub } from './hubStore.ts';

/** What `check` finds wrong with the token, which itself stays in this folder. */
export const useTokenCheck = (check: (token: string) => string | null): string | null =>
  useHub(({ token }) => check(token.trim()));

/** The server that is asked, as an origin; null while what is typed is no address. */
export function serverOf({ hubUrl }: { readonly hubUrl: string }): string | null {
  const text = hubUrl.trim() === '' ? HUB_URL : hubUrl.trim();
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? new URL(text).origin : null;
}

/** Asks another server from now on. A token is for the server beside which it was typed: for another one it is forgotten. */
export function setServer(hubUrl: string): void {
  const before = serverOf(useHub.getState());
  changeHub({ hubUrl, ...(before !== serverOf({ hubUrl }) && { token: '' }) });
}

/** As those who ask take them; what is not given is absent. */
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

/** A connection that brings or takes nothing is given up after the page's own deadline, where its address names one. */
export function patience(): { stallMilliseconds?: number } {
  const { deadline } = readAddress(window.location.search);
  return deadline === undefined ? {} : { stallMilliseconds: deadline.least };
}
