import { Kbd } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { setOpen, useIsOpen } from './ui/open/openStore.ts';
import { MODIFIER } from './ui/text/format.ts';
import { LinkButton } from './ui/parts/buttons.tsx';
import { lazyPart } from './ui/draw/lazyPart.tsx';
import classes from './Footer.module.css';

const CopyDiagnostics = lazyPart(
  async () => (await import('./see/diagnostics/CopyDiagnostics.tsx')).CopyDiagnostics,
);
const SweepView = lazyPart(async () => (await import('./keep/sweeps/SweepView.tsx')).SweepView);

/** The button that opens the view of a sweep. A dropped sweep opens it, too. */
function SweepLink(): ReactNode {
  const opened = useIsOpen('sweep');
  const [wanted, setWanted] = useState(false);
  if (opened && !wanted) setWanted(true);
  return (
    <>
      <LinkButton data-testid="sweep-link" aria-haspopup="dialog" onClick={() => setOpen('sweep')}>
        Open a sweep
      </LinkButton>
      {wanted && <SweepView />}
    </>
  );
}

/** Hints that the controls themselves do not show. */
export function Footer(): ReactNode {
  return (
    <footer className={classes.footer}>
      <span>
        <Kbd size="xs">{MODIFIER}</Kbd> <Kbd size="xs">Enter</Kbd> trains and pauses from anywhere,{' '}
        <Kbd size="xs">{MODIFIER}</Kbd> <Kbd size="xs">K</Kbd> lists what can be done, <Kbd size="xs">?</Kbd>{' '}
        helps.
      </span>
      <span>
        The arrow keys change a number; settings that differ from the defaults are kept in the address.
      </span>
      <span>Drop a checkpoint zip anywhere on the page to load it.</span>
      <SweepLink />
      <CopyDiagnostics />
    </footer>
  );
}
