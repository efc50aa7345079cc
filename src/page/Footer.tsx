import { Kbd } from '@mantine/core';
import type { ReactNode } from 'react';
import { MODIFIER } from './ui/text/format.ts';
import { lazyPart } from './ui/draw/lazyPart.tsx';
import classes from './Footer.module.css';

const CopyDiagnostics = lazyPart(
  async () => (await import('./see/diagnostics/CopyDiagnostics.tsx')).CopyDiagnostics,
);

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
      <CopyDiagnostics />
    </footer>
  );
}
