/** The benchmark in a page: every participant in a worker of its own. */
import { createRemoteParticipant } from './participants/remote.ts';
import type { BenchHost } from './run.ts';
import { PEER_NAMES } from './types.ts';

/** `address` turns a path beside the page into an address that workers can fetch. */
export function pageHost(address: (path: string) => string): BenchHost {
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
