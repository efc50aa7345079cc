import { Tooltip, type TooltipProps } from '@mantine/core';
import type { ReactNode } from 'react';

export type HintProps = Pick<TooltipProps, 'label' | 'children'>;

/** A text that comes up on hover, focus and touch. It is loaded after the first paint. */
export function Hint(props: HintProps): ReactNode {
  return (
    <Tooltip {...props} multiline w={270} withArrow events={{ hover: true, focus: true, touch: true }} />
  );
}
