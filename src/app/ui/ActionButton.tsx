import { Button } from '@mantine/core';
import type { ButtonProps, ElementProps } from '@mantine/core';
import type { ReactNode } from 'react';

export interface ActionButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  /** Whether pressing it does something now. */
  readonly usable: boolean;
}

/** A button that keeps the keyboard's focus while it can't be used: a disabled one would drop it. */
export function ActionButton({ usable, onClick, ...rest }: ActionButtonProps): ReactNode {
  return (
    <Button
      {...rest}
      aria-disabled={!usable}
      data-disabled={!usable || undefined}
      onClick={usable ? onClick : undefined}
    />
  );
}
