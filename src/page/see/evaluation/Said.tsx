import type { ReactNode } from 'react';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';

interface SaidProps {
  readonly title: ReactNode;
  /** Null: it has not begun. */
  readonly text: string | null;
  readonly writing?: boolean;
  /** A verdict on it. */
  readonly children: ReactNode;
}

/** A text of the model, beside another one. */
export function Said({ title, text, writing = false, children }: SaidProps): ReactNode {
  return (
    <figure className="stack close" aria-busy={writing}>
      <figcaption>
        <b>{title}</b>
      </figcaption>
      <pre className="note">
        {text === null ? '…' : !(writing && text === '') && <CompletionText text={text} />}
        {writing && <span aria-hidden="true">▍</span>}
      </pre>
      {children}
    </figure>
  );
}
