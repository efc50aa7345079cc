import { useEffect, useRef, useState } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { defaultConfig } from '@rl-playground/run/settings';
import type { BenchmarkResult } from '@rl-playground/run/benchmark';
import { FIRST_TASK } from '../../run/address/address.ts';
import { useRun } from '../../run/state/runStore.ts';
import { keepResult } from './benchmarkLinks.ts';

export interface Measuring {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

export interface Benchmark {
  /** The part that is being measured, or null. */
  readonly measuring: Measuring | null;
  /** The result of this visit. */
  readonly result: BenchmarkResult | null;
  /** True if the last measurement was cancelled. */
  readonly cancelled: boolean;
  /** A sentence on what ended the last measurement without a result. */
  readonly problem: string | null;
  readonly measure: () => Promise<void>;
  readonly cancel: () => void;
}

/** Measures the machine for as long as its caller is drawn. */
export function useBenchmark(): Benchmark {
  const controller = useRun((state) => state.controller);
  const [measuring, setMeasuring] = useState<Measuring | null>(null);
  const [result, setResult] = useState<BenchmarkResult | null>(null);
  const [cancelled, setCancelled] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const abort = useRef<AbortController | null>(null);
  const cancel = (): void => abort.current?.abort();
  useEffect(() => () => abort.current?.abort(), []);
  const measure = async (): Promise<void> => {
    if (controller === null || measuring !== null) return;
    const own = new AbortController();
    abort.current = own;
    setProblem(null);
    setCancelled(false);
    setMeasuring({ label: 'Starting', done: 0, total: 1 });
    try {
      const { benchmarkInPage } = await import('@rl-playground/run/benchmark/inPage');
      const found = await benchmarkInPage(controller, {
        config: defaultConfig(FIRST_TASK),
        signal: own.signal,
        onProgress: (label, done, total) => setMeasuring({ label, done, total }),
      });
      await keepResult(found);
      setResult(found);
    } catch (error) {
      if (own.signal.aborted) setCancelled(true);
      else setProblem(messageOf(error));
    } finally {
      setMeasuring(null);
    }
  };
  return { measuring, result, cancelled, problem, measure, cancel };
}
