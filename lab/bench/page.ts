/** The page in which the benchmark runs. The program that opens it (benchPage.ts) gives it functions, and calls `runBench`. */
import { messageOf } from '@rl-playground/base/errors';
import { createOutsideParticipant, type Outside } from './participants/outside.ts';
import { createRemoteParticipant } from './participants/remote.ts';
import {
  runBenchmark,
  type BenchHost,
  type BenchOptions,
  type BenchOutcome,
  type BenchProgress,
} from './run.ts';
import {
  isPythonPeer,
  PEER_NAMES,
  type BenchResult,
  type ParticipantName,
  type PythonPeer,
} from './types.ts';

export type BenchNews = { readonly progress: BenchProgress } | { readonly row: BenchResult };

declare global {
  interface Window {
    /** The program takes progress and rows as they come. */
    reportBench(news: BenchNews): Promise<void>;
    /** The program asks a peer outside the page. */
    askBenchPeer: Outside['ask'];
    /** The program counts CPU seconds. */
    benchCpuSeconds: Outside['cpuSeconds'];
    /** Runs the benchmark. A failure comes back as its words: thrown, it would carry the page's stack along. */
    runBench(
      options: BenchOptions,
      peers: readonly PythonPeer[],
    ): Promise<BenchOutcome | { readonly failure: string }>;
  }
}

/** A folder beside the page, as an address that workers can fetch from. */
const besidePage = (folder: string): string => new URL(folder, document.baseURI).href;

/** Runs every participant in a worker of its own, except those outside the page. */
function pageHost(outside: Outside): BenchHost {
  const inPage = PEER_NAMES.filter((name) => !isPythonPeer(name));
  return {
    environment: {
      wasmPath: besidePage('wasm/'),
      threads: navigator.hardwareConcurrency,
    },
    available: new Set<ParticipantName>(['ours', ...inPage, ...outside.peers]),
    start: (name, environment) =>
      isPythonPeer(name)
        ? createOutsideParticipant(outside, name)
        : createRemoteParticipant(name, environment),
    cpuSeconds: () => outside.cpuSeconds(),
  };
}

window.runBench = async (options, peers) => {
  const outside: Outside = {
    peers,
    ask: (peer, request) => window.askBenchPeer(peer, request),
    cpuSeconds: () => window.benchCpuSeconds(),
  };
  try {
    return await runBenchmark(options, pageHost(outside), {
      onProgress: (progress) => void window.reportBench({ progress }),
      onRow: (row) => void window.reportBench({ row }),
    });
  } catch (error) {
    return { failure: messageOf(error) };
  }
};
