/** Links that carry the result of a benchmark in the part of the address that browsers send to no server. */
import type { BenchmarkResult } from '@rl-playground/run/benchmark';
import { remember, remembered } from '../../ui/files/remember.ts';

/** The key after "#" in the address. */
const KEY = 'device';
/** The name under which the browser keeps the last result of its own, as text for a link. */
const KEPT = 'rl-playground.benchmark';

/** The text of a result in a fragment (`location.hash`), or null. */
export const linkedIn = (hash: string): string | null => new URLSearchParams(hash.slice(1)).get(KEY);

/** Takes the result out of the page's address and leaves the rest. */
export function forgetLinked(): void {
  const { pathname, search, hash } = window.location;
  if (linkedIn(hash) === null) return;
  const others = hash
    .slice(1)
    .split('&')
    .filter((part) => !part.startsWith(`${KEY}=`));
  const rest = others.length === 0 ? '' : `#${others.join('&')}`;
  window.history.replaceState(null, '', pathname + search + rest);
}

/** Resolves to the address of this page with a result. */
export async function addressOf(result: BenchmarkResult): Promise<string> {
  const { linkedBenchmark } = await import('@rl-playground/run/benchmark');
  const { origin, pathname } = window.location;
  return `${origin}${pathname}#${KEY}=${await linkedBenchmark(result)}`;
}

async function read(text: string | null): Promise<BenchmarkResult | null> {
  const { benchmarkOfLinked } = await import('@rl-playground/run/benchmark');
  return text === null ? null : benchmarkOfLinked(text);
}

/** Resolves to the result in the page's address, or null. @throws Error that says what is wrong with it */
export const linkedResult = (): Promise<BenchmarkResult | null> => read(linkedIn(window.location.hash));

/** Resolves to the last result of this browser; null where there is none, or another version kept it. */
export const keptResult = (): Promise<BenchmarkResult | null> => read(remembered(KEPT)).catch(() => null);

export async function keepResult(result: BenchmarkResult): Promise<void> {
  remember(KEPT, linkedIn(new URL(await addressOf(result)).hash));
}
