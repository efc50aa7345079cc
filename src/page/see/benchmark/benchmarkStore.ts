/** The benchmark as the page has it: what is asked for, how far it is, what came out. It outlives its dialog. */
import { create } from 'zustand';
import type { Row } from '../../../bench/measure.ts';
import type { BenchOutcome, BenchProgress } from '../../../bench/run.ts';
import { DEFAULT_SUITES, STARTER_SOURCE, type BackendName, type SuiteName } from '../../../bench/types.ts';
import { messageOf } from '@rl-playground/base/errors';

/** Sequences of the timed batch and the length of each: those of the published comparisons. */
const ROLLOUTS = 64;
const TOKENS = 64;

export interface BenchmarkState {
  readonly suites: readonly SuiteName[];
  readonly repeats: number;
  readonly quick: boolean;
  /** Null while nothing runs. */
  readonly progress: BenchProgress | null;
  /** Those that are finished, while it runs and after. */
  readonly rows: readonly Row[];
  /** Null until a run came to its end. */
  readonly outcome: BenchOutcome | null;
  /** Why the last run ended early; null where it did not. */
  readonly problem: string | null;
}

export const useBenchmark = create<BenchmarkState>(() => ({
  suites: DEFAULT_SUITES,
  repeats: 3,
  quick: true,
  progress: null,
  rows: [],
  outcome: null,
  problem: null,
}));

let running: AbortController | null = null;

export function cancelBenchmark(): void {
  running?.abort(new Error('Cancelled.'));
}

/** Runs the chosen suites; does nothing while a run is under way. */
export async function startBenchmark(backend: BackendName): Promise<void> {
  if (running !== null) return;
  const abort = new AbortController();
  running = abort;
  const { suites, repeats, quick } = useBenchmark.getState();
  const progress = { done: 0, total: 1, text: 'Starting' };
  useBenchmark.setState({ progress, rows: [], outcome: null, problem: null });
  try {
    const { runInPage } = await import('../../../bench/pageBenchmark.ts');
    const outcome = await runInPage(
      { suites, backend, model: STARTER_SOURCE, repeats, quick, rollouts: ROLLOUTS, tokens: TOKENS },
      {
        onProgress: (news) => useBenchmark.setState({ progress: news }),
        onRow: (row) => useBenchmark.setState((state) => ({ rows: [...state.rows, row] })),
      },
      abort.signal,
    );
    useBenchmark.setState({ outcome });
  } catch (error) {
    const problem = abort.signal.aborted ? 'Cancelled. The rows so far are below.' : messageOf(error);
    useBenchmark.setState({ problem });
  } finally {
    running = null;
    useBenchmark.setState({ progress: null });
  }
}
