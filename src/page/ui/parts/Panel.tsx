import { useId, type ReactNode } from 'react';
import classes from './Panel.module.css';

interface PanelProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly testId?: string;
  readonly children: ReactNode;
}

/** A titled region of the page. */
export function Panel({ title, aside, testId, children }: PanelProps): ReactNode {
  const titleId = useId();
  return (
    <section className="panel" aria-labelledby={titleId} data-testid={testId}>
      <div className={`row apart ${classes.head}`}>
        <h2 id={titleId} className="panel-title">
          {title}
        </h2>
        {aside !== undefined && <div className="row quiet">{aside}</div>}
      </div>
      <div className={`stack ${classes.body}`}>{children}</div>
    </section>
  );
}
