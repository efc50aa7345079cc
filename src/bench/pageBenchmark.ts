/** The benchmark as the page and the command line start it: suites by name, rows and progress as they come. */
import { pageHost } from './pageHost.ts';
import { runBenchmark, type BenchEvents, type BenchOptions, type BenchOutcome } from './run.ts';

const address = (path: string): string =>
  new URL(`${import.meta.env.BASE_URL}${path}`, document.baseURI).href;

export type RunInPage = (
  options: BenchOptions,
  events: BenchEvents,
  signal: AbortSignal,
) => Promise<BenchOutcome>;

/** Addresses of models may be relative to the page. @throws as `runBenchmark` does. */
export const runInPage: RunInPage = (options, events, signal) => {
  const { model } = options;
  const absolute = model.kind === 'folder' ? { ...model, address: address(model.address) } : model;
  return runBenchmark({ ...options, model: absolute }, pageHost(address), events, signal);
};
