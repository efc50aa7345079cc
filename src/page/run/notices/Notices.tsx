import { Alert } from '@mantine/core';
import { useEffect, useRef, type ComponentType, type ReactNode } from 'react';
import type { Alarm } from '@rl-playground/run/diagnosis';
import type { Notice } from '@rl-playground/run/session';
import { dismissNotice, goOnWithCpu } from '../actions/actions.ts';
import { canStart } from '../state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useOpen, type PageNotice } from '../../ui/open/openStore.ts';
import { useRun } from '../state/runStore.ts';
import classes from './notices.module.css';

const WORDS: Readonly<Record<Notice['kind'], string>> = {
  info: 'Note',
  warning: 'Warning',
  error: 'Error',
  collapse: 'Alarm',
};

/** The button of what a notice offers to do. */
function Offer({ id, action, offer }: PageNotice): ReactNode {
  const startable = useRun((state) => canStart(state.snapshot));
  const offered = offer === 'cpu' ? { label: 'Go on with the CPU', act: () => goOnWithCpu(id) } : action;
  return (
    offered && (
      <ActionButton mt={6} display="block" usable={startable} onClick={offered.act}>
        {offered.label}
      </ActionButton>
    )
  );
}

interface NoticesProps {
  /** Draws an alarm, with what can be done about it. */
  readonly AlarmBody: ComponentType<{ readonly alarm: Alarm }>;
}

/** The messages of the run and of the page, newest last, each until it is dismissed. */
export function Notices({ AlarmBody }: NoticesProps): ReactNode {
  const pageNotices = useOpen((state) => state.notices);
  const runNotices = useRun((state) => state.snapshot.notices);
  const list = useRef<HTMLDivElement>(null);
  const shown = pageNotices.findLast(({ kind, inView }) => kind === 'error' || inView);
  // The button that was pressed may be far below.
  useEffect(() => {
    if (shown !== undefined) list.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  const all: readonly PageNotice[] = [...pageNotices, ...runNotices];
  return (
    <div className={`stack ${classes.notices}`} data-testid="notices" ref={list}>
      {all.map((notice) => (
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
          {notice.alarm === undefined ? notice.text : <AlarmBody alarm={notice.alarm} />}
          <Offer {...notice} />
        </Alert>
      ))}
    </div>
  );
}
