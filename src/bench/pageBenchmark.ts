/** The benchmark as the page and the command line start it: suites by name, rows and progress as they come. */
import {
  runBenchmark,
  type BenchEvents,
  type BenchOptions,
  type BenchOutcome,
  type BenchHost,
} from './run.ts';
import { createRemoteParticipant } from './participants/remote.ts';
import { PEER_NAMES } from './types.ts';

/** A path beside the page as an address that workers can fetch. */
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
  return runBenchmark({ ...options, model: absolute }, pageHost(), events, signal);
};

/** Every participant in a worker of its own. */
function pageHost(): BenchHost {
  return {
    environment: {
      wasmPath: address('wasm/'),
      onnxPath: address('onnxruntime/'),
      threads: globalThis.crossOriginIsolated ? navigator.hardwareConcurrency : 1,
    },
    available: new Set(['ours', ...PEER_NAMES]),
    start: createRemoteParticipant,
  };
}
