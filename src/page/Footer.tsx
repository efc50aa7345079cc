import type { ReactNode } from 'react';
import { openHelp } from './ui/open/openStore.ts';
import { LinkButton } from './ui/parts/buttons.tsx';
import { lazyPart } from './ui/draw/lazyPart.tsx';
import classes from './Footer.module.css';

const CopyDiagnostics = lazyPart(
  async () => (await import('./see/diagnostics/CopyDiagnostics.tsx')).CopyDiagnostics,
);

/** The help, and the report of a fault. */
export function Footer(): ReactNode {
  return (
    <footer className={classes.footer}>
      <LinkButton onClick={() => openHelp('help')}>Keys, and what is where</LinkButton>
      <CopyDiagnostics />
    </footer>
  );
}
