/** One core's share of a CPU ceiling. Asked `multiply-add` or `copy`, it answers with its rate, as often as it is asked. */
import { copyRate, multiplyAddRate, type CoreRate } from './core.ts';

export type CoreQuestion = 'multiply-add' | 'copy';

let known: { readonly what: CoreQuestion; readonly rate: CoreRate } | null = null;

async function answer(what: CoreQuestion): Promise<void> {
  if (known?.what !== what) {
    known = { what, rate: what === 'copy' ? copyRate() : await multiplyAddRate() };
  }
  globalThis.postMessage(known.rate());
}

globalThis.addEventListener('message', ({ data }: MessageEvent<CoreQuestion>) => void answer(data));
