import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { InfoIcon } from '../icons.tsx';
import { MarkButton } from './MarkButton.tsx';

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
