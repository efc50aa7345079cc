/** The benchmark as the page and the command line start it: suites by name, rows and progress as they come. */
import {
  runBenchmark,
  type BenchEvents,
  type BenchOptions,
  type BenchOutcome,
  type BenchHost,
} from './run.ts';
import { sharesMemory } from '@rl-playground/engine/parts';
import { createOutsideParticipant, type Outside } from './participants/outside.ts';
import { createRemoteParticipant } from './participants/remote.ts';
import { isPythonPeer, PEER_NAMES, type ParticipantName } from './types.ts';

/** A path beside the page as an address that workers can fetch; an address stays as it is. */
const address = (path: string): string =>
  URL.canParse(path) ? path : new URL(`${import.meta.env.BASE_URL}${path}`, document.baseURI).href;

export type RunInPage = (
  options: BenchOptions,
  events: BenchEvents,
  signal: AbortSignal,
  outside?: Outside,
) => Promise<BenchOutcome>;

/** Addresses of models may be relative to the page. @throws as `runBenchmark` does. */
export const runInPage: RunInPage = (options, events, signal, outside) => {
  const { model } = options;
  const absolute = model.kind === 'folder' ? { ...model, address: address(model.address) } : model;
  return runBenchmark({ ...options, model: absolute }, pageHost(outside), events, signal);
};

/** Every participant in a worker of its own, but for those outside the page. */
function pageHost(outside: Outside | undefined): BenchHost {
  const inPage = PEER_NAMES.filter((name) => !isPythonPeer(name));
  return {
    environment: {
      wasmPath: address('wasm/'),
      onnxPath: address('onnxruntime/'),
      threads: sharesMemory() ? navigator.hardwareConcurrency : 1,
    },
    available: new Set<ParticipantName>(['ours', ...inPage, ...(outside?.peers ?? [])]),
    async start(name, environment, signal) {
      if (!isPythonPeer(name)) return createRemoteParticipant(name, environment, signal);
      if (!outside)
        throw new Error(`${name} runs outside the page; name a Python: npm run lab -- bench --python PATH`);
      return createOutsideParticipant(outside, name);
    },
    ...(outside ? { cpuSeconds: () => outside.cpuSeconds() } : {}),
  };
}
