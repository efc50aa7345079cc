import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './FullScreenDialog.module.css';

interface FullScreenDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog in place of the page, in the page's own colours. */
export function FullScreenDialog({ title, onClose, children }: FullScreenDialogProps): ReactNode {
  return (
    <Modal
      opened
      onClose={onClose}
      fullScreen
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      classNames={{
        content: classes.content,
        header: classes.header,
        title: classes.title,
        body: classes.body,
      }}
      transitionProps={{ duration: 0 }}
    >
      {children}
    </Modal>
  );
}
