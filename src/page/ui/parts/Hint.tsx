import { Tooltip } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export interface HintProps {
  readonly label: ReactNode;
  readonly children: ReactElement;
}

/** A text that comes up on hover, focus and touch. It is loaded after the first paint. */
export function Hint({ label, children }: HintProps): ReactNode {
  return (
    <Tooltip label={label} multiline w={270} withArrow events={{ hover: true, focus: true, touch: true }}>
      {children}
    </Tooltip>
  );
}
