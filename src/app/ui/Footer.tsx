import { Kbd } from '@mantine/core';
import { Suspense, useState, type ReactNode } from 'react';
import { LinkButton } from './buttons.tsx';
import { lazyPart } from './lazyPart.tsx';
import classes from './Footer.module.css';

const CopyDiagnostics = lazyPart(
  async () => (await import('../diagnostics/CopyDiagnostics.tsx')).CopyDiagnostics,
);
const BenchmarkView = lazyPart(async () => (await import('../benchmark/BenchmarkView.tsx')).BenchmarkView);

/** Opens the benchmark. */
function BenchmarkLink(): ReactNode {
  const [wanted, setWanted] = useState(false);
  const [open, setOpen] = useState(false);
  return (
    <>
      <LinkButton
        data-testid="benchmark-link"
        aria-haspopup="dialog"
        onClick={() => {
          setWanted(true);
          setOpen(true);
        }}
      >
        Benchmark this machine
      </LinkButton>
      {wanted && (
        <Suspense fallback={null}>
          <BenchmarkView opened={open} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** What can't be seen on the controls themselves. */
export function Footer(): ReactNode {
  return (
    <footer className={classes.footer}>
      <span>
        <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> trains and pauses from anywhere.
      </span>
      <span>
        The arrow keys change a number; settings that differ from the defaults are kept in the address.
      </span>
      <span>Drop a checkpoint zip anywhere on the page to load it.</span>
      <BenchmarkLink />
      <Suspense>
        <CopyDiagnostics />
      </Suspense>
    </footer>
  );
}
