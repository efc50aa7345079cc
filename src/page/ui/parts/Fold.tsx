import { useState, type ReactNode } from 'react';
import { setOpen, useOpen, type Part } from '../open/openStore.ts';
import { ChevronIcon } from './icons.tsx';
import classes from './Fold.module.css';

interface FoldProps {
  readonly title: string;
  readonly note?: ReactNode;
  /** A parent that gives `open` must also take `onOpen`. */
  readonly open?: boolean;
  readonly onOpen?: (open: boolean) => void;
  /** The name of a fold that other parts of the page open too. */
  readonly part?: Part;
  /** True for a fold that is open until somebody closes it. */
  readonly initially?: boolean;
  /** True for a part of the page, whose title is a heading. */
  readonly heading?: boolean;
  readonly children: ReactNode;
}

/** A folded part of the page. Its content is mounted only while it is open. */
export function Fold({
  title,
  note,
  open: given,
  onOpen,
  part,
  initially = false,
  heading = false,
  children,
}: FoldProps): ReactNode {
  const [opened, setOpened] = useState(initially);
  const isOpen = useOpen(({ parts }) => part !== undefined && parts.has(part));
  const open = given ?? (part === undefined ? opened : isOpen);
  const tell = onOpen ?? (part === undefined ? setOpened : (now: boolean) => setOpen(part, now));
  return (
    <details open={open} onToggle={(event) => tell(event.currentTarget.open)}>
      <summary className={classes.summary}>
        <span className={classes.chevron}>
          <ChevronIcon />
        </span>
        {heading ? (
          <h2 className={classes.title}>{title}</h2>
        ) : (
          <span className={classes.title}>{title}</span>
        )}
        {note !== undefined && <span className="quiet">{note}</span>}
      </summary>
      {open && <div className={classes.body}>{children}</div>}
    </details>
  );
}
