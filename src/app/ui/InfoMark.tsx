import { Tooltip } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { InfoIcon } from '../icons.tsx';
import classes from './InfoMark.module.css';

interface MarkButtonProps extends ComponentProps<'button'> {
  /** What a screen reader says: there is no text. */
  readonly 'aria-label': string;
}

/** A small button of one icon within a line of text. */
export function MarkButton({ className = '', ...rest }: MarkButtonProps): ReactNode {
  return <button type="button" className={`${classes.mark} ${className}`} {...rest} />;
}

interface InfoMarkProps {
  /** What a screen reader says. */
  readonly label: string;
  readonly width: number;
  /** What is shown. */
  readonly children: ReactNode;
}

/** A small mark that explains what it stands beside, on hover, focus and touch. */
export function InfoMark({ label, width, children }: InfoMarkProps): ReactNode {
  return (
    <Tooltip
      label={children}
      multiline
      w={width}
      withArrow
      events={{ hover: true, focus: true, touch: true }}
    >
      <MarkButton aria-label={label} style={{ cursor: 'help' }}>
        <InfoIcon />
      </MarkButton>
    </Tooltip>
  );
}
