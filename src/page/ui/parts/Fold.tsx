import { useState, type ReactNode } from 'react';
import { ChevronIcon } from './icons.tsx';
import classes from './Fold.module.css';

interface FoldProps {
  readonly title: string;
  readonly note?: ReactNode;
  /** Given where the caller opens and closes the fold. Without it the fold keeps this itself. */
  readonly open?: boolean;
  readonly onOpen?: (open: boolean) => void;
  readonly children: ReactNode;
}

/** A folded part of the page. Its content is mounted only while it is open. */
export function Fold({ title, note, open: given, onOpen, children }: FoldProps): ReactNode {
  const [opened, setOpened] = useState(false);
  const open = given ?? opened;
  return (
    <details open={open} onToggle={(event) => (onOpen ?? setOpened)(event.currentTarget.open)}>
      <summary className={classes.summary}>
        <span className={classes.chevron}>
          <ChevronIcon />
        </span>
        <span className={classes.title}>{title}</span>
        {note !== undefined && <span className="quiet">{note}</span>}
      </summary>
      {open && <div className={classes.body}>{children}</div>}
    </details>
  );
}
