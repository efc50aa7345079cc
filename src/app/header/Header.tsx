import type { ReactNode } from 'react';
import classes from './header.module.css';

function Logo(): ReactNode {
  return (
    <svg aria-hidden="true" width="30" height="30" viewBox="0 0 32 32" className={classes.logo}>
      <rect width="32" height="32" rx="7" fill="#14506e" />
      <path
        d="M6 24.5c5-.3 7.6-2.3 9.6-6.7S20 8.3 26 7.5"
        fill="none"
        stroke="#fff"
        strokeWidth="2.8"
        strokeLinecap="round"
      />
      <circle cx="6.5" cy="24.4" r="2.9" fill="#f0a33a" />
      <circle cx="25.5" cy="7.6" r="2.9" fill="#4cc38a" />
    </svg>
  );
}

/** Name, and what this is in one sentence. */
export function Header(): ReactNode {
  return (
    <header className={classes.header}>
      <Logo />
      <div className={classes.words}>
        <h1 className={classes.name}>RL Playground</h1>
        <p className={classes.sentence}>
          A small language model learns by trial and reward, live in this tab. Nothing leaves your machine
          unless you send it.
        </p>
      </div>
    </header>
  );
}
