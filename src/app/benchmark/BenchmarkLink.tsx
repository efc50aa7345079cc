import { Suspense, useState } from 'react';
import type { ReactNode } from 'react';
import { lazyPart } from '../ui/lazyPart.tsx';
import classes from './link.module.css';

const BenchmarkView = lazyPart(async () => (await import('./BenchmarkView.tsx')).BenchmarkView);

/** Opens the benchmark. */
export function BenchmarkLink(): ReactNode {
  const [wanted, setWanted] = useState(false);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={classes.link}
        data-testid="benchmark-link"
        aria-haspopup="dialog"
        onClick={() => {
          setWanted(true);
          setOpen(true);
        }}
      >
        Benchmark this machine
      </button>
      {wanted && (
        <Suspense fallback={null}>
          <BenchmarkView opened={open} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
