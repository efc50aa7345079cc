import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './FullScreenDialog.module.css';

interface FullScreenDialogProps {
  readonly title: string;
  readonly opened?: boolean;
  readonly onClose: () => void;
  /** The name of the button that closes it. */
  readonly closeLabel?: string;
  readonly children: ReactNode;
}

/** A dialog in place of the page, in the page's own colours. */
export function FullScreenDialog(props: FullScreenDialogProps): ReactNode {
  const { title, opened = true, onClose, closeLabel = 'Close', children } = props;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      fullScreen
      title={title}
      closeButtonProps={{ 'aria-label': closeLabel }}
      padding={0}
      classNames={classes}
      transitionProps={{ duration: 0 }}
    >
      {children}
    </Modal>
  );
}
