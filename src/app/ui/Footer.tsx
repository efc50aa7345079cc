import { Kbd } from '@mantine/core';
import type { ReactNode } from 'react';
import { BenchmarkLink } from '../benchmark/BenchmarkLink.tsx';
import classes from './Footer.module.css';

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
    </footer>
  );
}
