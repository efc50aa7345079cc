/** The page's address: settings that differ from the defaults, and the forced backend, which is never a setting. */
import type { RunConfig } from '../config/schema.ts';
import { configFromQuery, configToQuery } from '../config/url.ts';
import type { Notice } from '../run/types.ts';

export type Backend = 'webgpu' | 'wasm';

export interface Address {
  readonly config: RunConfig;
  readonly backend: Backend | null;
  /** What in the address was refused. */
  readonly notices: readonly Notice[];
}

function isBackend(text: string): text is Backend {
  return text === 'webgpu' || text === 'wasm';
}

/** Reads a query. Never throws: refused parts become notices and their settings keep the defaults. */
export function readAddress(search: string): Address {
  const { config, errors } = configFromQuery(search);
  const forced = new URLSearchParams(search).get('backend');
  const refused = [...errors];
  if (forced !== null && !isBackend(forced)) {
    refused.push(`backend: "${forced}" does not exist; choose one of: webgpu, wasm.`);
  }
  const notice: Notice = {
    id: 'address',
    kind: 'error',
    title: 'The address of this page holds settings that can’t be used',
    text: `${refused.join('\n')}\nThe defaults stand in for them.`,
  };
  return {
    config,
    backend: forced !== null && isBackend(forced) ? forced : null,
    notices: refused.length === 0 ? [] : [notice],
  };
}

/** The query for `config`, with its "?" unless it is empty; `backend` stays as it is in `search`. */
export function writeAddress(config: RunConfig, search: string): string {
  const forced = new URLSearchParams(search).get('backend');
  const parts = [
    forced === null ? '' : new URLSearchParams({ backend: forced }).toString(),
    configToQuery(config),
  ];
  const query = parts.filter((part) => part !== '').join('&');
  return query === '' ? '' : `?${query}`;
}
