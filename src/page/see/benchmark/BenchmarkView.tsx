import { useEffect, type ReactNode } from 'react';
import { FullScreenDialog } from '../../ui/parts/FullScreenDialog.tsx';
import { BenchmarkForm } from './BenchmarkForm.tsx';
import { BenchmarkResult } from './BenchmarkResult.tsx';
import { cancelBenchmark, useBenchmark } from './benchmarkStore.ts';
import classes from './benchmark.module.css';

interface BenchmarkViewProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Ctrl+Enter trains from anywhere on the page; not from here, where it would disturb what is being timed. */
function useNoShortcut(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const hold = (event: KeyboardEvent): void => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.stopImmediatePropagation();
    };
    window.addEventListener('keydown', hold, { capture: true });
    return () => window.removeEventListener('keydown', hold, { capture: true });
  }, [opened]);
}

/** The whole-screen dialog in which this machine is measured. Closing it ends a benchmark under way. */
export function BenchmarkView({ opened, onClose }: BenchmarkViewProps): ReactNode {
  const running = useBenchmark((state) => state.progress !== null);
  useNoShortcut(opened);
  return (
    <FullScreenDialog
      title="Benchmark this machine"
      opened={opened}
      onClose={() => {
        cancelBenchmark();
        onClose();
      }}
      closeOnEscape={!running}
      closeLabel={running ? 'Cancel and close the benchmark' : 'Close the benchmark'}
    >
      <div className="page" data-testid="benchmark">
        <p className={classes.intro}>
          Times this page beside what you could use instead, on the same device and the same work:
          TensorFlow.js, jax-js and transformers.js, in turns, each checked against our result first.
          Everything runs here; nothing is sent anywhere.
        </p>
        <BenchmarkForm />
        <BenchmarkResult />
      </div>
    </FullScreenDialog>
  );
}
