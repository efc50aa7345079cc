import type { ComponentProps, ReactNode } from 'react';
import classes from './MarkButton.module.css';

interface MarkButtonProps extends ComponentProps<'button'> {
  /** What a screen reader says: there is no text. */
  readonly 'aria-label': string;
}

/** A small button of one icon within a line of text. */
export function MarkButton({ className = '', ...rest }: MarkButtonProps): ReactNode {
  return <button type="button" className={`${classes.mark} ${className}`} {...rest} />;
}
