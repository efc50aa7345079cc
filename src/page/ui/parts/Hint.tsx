import { Tooltip } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface HintProps {
  /** What is shown. */
  readonly label: ReactNode;
  readonly width: number;
  readonly children: ReactElement;
}

/** A text that comes up on hover, focus and touch. Mantine's places it, which the first screen does without. */
export function Hint({ label, width, children }: HintProps): ReactNode {
  return (
    <Tooltip label={label} multiline w={width} withArrow events={{ hover: true, focus: true, touch: true }}>
      {children}
    </Tooltip>
  );
}
