import { Alert } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import type { Notice } from '../../run/types.ts';
import { dismissNotice } from '../actions.ts';
import { useApp } from '../store.ts';
import classes from './notices.module.css';

const WORDS: Readonly<Record<Notice['kind'], string>> = {
  info: 'Note',
  warning: 'Warning',
  error: 'Error',
  collapse: 'Collapse',
};

/** Messages of the run and of the page, newest last, each until it is dismissed. */
export function Notices(): ReactNode {
  const pageNotices = useApp((state) => state.pageNotices);
  const runNotices = useApp((state) => state.snapshot.notices);
  const list = useRef<HTMLDivElement>(null);
  const mistake = pageNotices.findLast(({ kind }) => kind === 'error');
  // What was pressed or dropped, and refused, may be far below.
  useEffect(() => {
    if (mistake !== undefined) list.current?.scrollIntoView({ block: 'nearest' });
  }, [mistake]);
  return (
    <div className={classes.notices} data-testid="notices" ref={list}>
      {[...pageNotices, ...runNotices].map((notice) => (
        <Alert
          key={notice.id}
          role={notice.kind === 'info' ? 'status' : 'alert'}
          data-kind={notice.kind}
          variant="default"
          title={`${WORDS[notice.kind]}: ${notice.title}`}
          withCloseButton
          closeButtonLabel={`Dismiss: ${notice.title}`}
          onClose={() => dismissNotice(notice.id)}
          classNames={{ root: classes.notice, title: classes.title, message: classes.text }}
        >
          {notice.text}
          {notice.kind === 'collapse' && (
            <span className={classes.advice}>
              Collapse means that the model found a shortcut or lost its language and now scores worse than it
              did.
            </span>
          )}
        </Alert>
      ))}
    </div>
  );
}
