/** The one slot for messages of the run and of the page: the newest, and behind a button all that came before. */
import { CloseButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import type { Alarm } from '@rl-playground/run/diagnosis';
import type { Notice } from '@rl-playground/run/session';
import { dismissNotice, goOnWithCpu } from '../actions/actions.ts';
import { canStart } from '../state/phases.ts';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useOpen, type PageNotice } from '../../ui/open/openStore.ts';
import { useRun } from '../state/runStore.ts';
import classes from './notices.module.css';

const WaysOut = lazyPart(async () => (await import('../preflight/WaysOut.tsx')).WaysOut);

const WORDS: Readonly<Record<Notice['kind'], string>> = {
  info: 'Note',
  warning: 'Warning',
  error: 'Error',
  collapse: 'Alarm',
};

type OfAlarm = ComponentType<{ readonly alarm: Alarm }>;

export interface NoticesProps {
  /** Draws an alarm in words, and the button of what can be done about it. */
  readonly AlarmBody: OfAlarm;
  readonly AlarmButton: OfAlarm;
}

/** The button of what a notice offers to do. */
function Offer({ notice, AlarmButton }: { readonly notice: PageNotice } & NoticesProps): ReactNode {
  const { id, action, offer, alarm } = notice;
  const startable = useRun((state) => canStart(state.snapshot));
  const offered = offer === 'cpu' ? { label: 'Continue on the CPU', act: () => goOnWithCpu(id) } : action;
  if (alarm !== undefined) return <AlarmButton alarm={alarm} />;
  if (offer === 'skip')
    return <ActionButton onClick={() => useRun.getState().controller?.skip()}>Skip</ActionButton>;
  if (offer === 'waysOut') return <WaysOut onTaken={() => dismissNotice(id)} />;
  return (
    offered && (
      <ActionButton usable={startable} onClick={offered.act}>
        {offered.label}
      </ActionButton>
    )
  );
}

interface OneProps extends NoticesProps {
  readonly notice: PageNotice;
  /** False in the slot, which has room for two lines. */
  readonly whole: boolean;
  readonly children?: ReactNode;
}

function One({ notice, whole, children, ...alarms }: OneProps): ReactNode {
  const { id, kind, title, text, alarm } = notice;
  const { AlarmBody } = alarms;
  return (
    <div
      role={kind === 'info' ? 'status' : 'alert'}
      className={classes.notice}
      data-kind={kind}
      data-whole={whole}
    >
      <div className={classes.words}>
        <b className={classes.title}>{`${WORDS[kind]}: ${title}`}</b>{' '}
        <div className={classes.text}>{alarm === undefined ? text : <AlarmBody alarm={alarm} />}</div>
      </div>
      <div className={classes.buttons}>
        <Offer notice={notice} {...alarms} />
        {children}
        <CloseButton size="md" aria-label={`Dismiss: ${title}`} onClick={() => dismissNotice(id)} />
      </div>
    </div>
  );
}

/**
 * The notices, newest first; one that asks something stays before warnings, which come unasked while somebody decides. Those of the run
 * and of the page come from two lists, which hold them in the order of their coming.
 */
export function useNotices(): readonly PageNotice[] {
  const ofPage = useOpen((state) => state.notices);
  const ofRun = useRun((state) => state.snapshot.notices);
  const [seen, setSeen] = useState<readonly string[]>([]);
  const all: readonly PageNotice[] = [...ofPage, ...ofRun];
  const fresh = all.filter(({ id }) => !seen.includes(id)).map(({ id }) => id);
  const gone = seen.some((id) => all.every((notice) => notice.id !== id));
  const order = [...seen.filter((id) => all.some((notice) => notice.id === id)), ...fresh];
  if (fresh.length > 0 || gone) setSeen(order);
  const inTime = all.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  return inTime.reduce<readonly PageNotice[]>((shown, notice) => {
    const warns = notice.kind === 'warning' && notice.action === undefined;
    const questions = shown.findIndex(({ action }) => action === undefined);
    const before = warns ? (questions === -1 ? shown.length : questions) : 0;
    return shown.toSpliced(before, 0, notice);
  }, []);
}

/** The slot keeps its height, and what it opens lies over the page: a notice moves nothing. */
export function Notices(props: NoticesProps & { readonly notices: readonly PageNotice[] }): ReactNode {
  const { notices, ...alarms } = props;
  const [newest, ...earlier] = notices;
  const [openFor, setOpenFor] = useState<string | null>(null);
  const slot = useRef<HTMLDivElement>(null);
  const shown = newest !== undefined && (newest.kind === 'error' || newest.inView) ? newest.id : null;
  // The button that was pressed may be far below.
  useEffect(() => {
    if (shown !== null) slot.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  useHotkeys([['Escape', () => setOpenFor(null)]]);
  const whole = newest !== undefined && openFor === newest.id;
  const toggle = (): void => setOpenFor(whole ? null : (newest?.id ?? null));
  return (
    <div className={classes.slot} data-testid="notices" ref={slot}>
      {newest !== undefined && (
        <div className={classes.list} data-whole={whole}>
          <One key={newest.id} notice={newest} whole={whole} {...alarms}>
            <ActionButton variant="subtle" usable aria-expanded={whole} onClick={toggle}>
              {whole ? 'Less' : earlier.length > 0 ? `${earlier.length} earlier` : 'More'}
            </ActionButton>
          </One>
          {whole && earlier.map((notice) => <One key={notice.id} notice={notice} whole {...alarms} />)}
          {whole && earlier.length > 1 && (
            <ActionButton usable onClick={() => notices.forEach(({ id }) => dismissNotice(id))}>
              {`Dismiss all ${plural(notices.length, 'notice')}`}
            </ActionButton>
          )}
        </div>
      )}
    </div>
  );
}
