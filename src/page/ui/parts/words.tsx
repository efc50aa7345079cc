/** Small pieces that many parts of the page say things with. */
import type { ReactNode } from 'react';
import { Glossed } from './Glossed.tsx';
import { CheckIcon, CrossIcon } from './icons.tsx';

interface RightOrWrongProps {
  readonly right: boolean;
  readonly className?: string | undefined;
  readonly children?: ReactNode;
}

/** A judgement with a mark and a colour, so that nobody depends on one of the two. */
export function RightOrWrong({ right, className, children }: RightOrWrongProps): ReactNode {
  return (
    <b className={className ?? (right ? 'good' : 'bad')}>
      {right ? <CheckIcon /> : <CrossIcon />} {children ?? (right ? 'right' : 'wrong')}
    </b>
  );
}

/** A name with its value. The name may have a hint, and the value an id for tests. */
export type Fact = readonly [name: string, value: string, hint?: string, testId?: string];

interface FactsProps {
  readonly entries: readonly Fact[];
  readonly className?: string | undefined;
  readonly testId?: string;
  /** A screen reader says what changes. */
  readonly live?: true;
}

export function Facts({ entries, className = '', testId, live }: FactsProps): ReactNode {
  return (
    <dl className={`facts ${className}`} data-testid={testId} aria-live={live && 'polite'}>
      {entries.map(([name, value, hint, id]) => (
        <div key={name} title={hint}>
          <dt>
            <Glossed text={name} />
          </dt>
          <dd className="number" data-testid={id}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Columns({ names }: { readonly names: readonly string[] }): ReactNode {
  return (
    <thead>
      <tr>
        {names.map((name, index) => (
          <th key={index} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A message of what went wrong, if anything did. */
export function Problem({ text, testId }: { readonly text: string | null; testId?: string }): ReactNode {
  return (
    text !== null && (
      <p role="alert" className="note bad" data-testid={testId}>
        {text}
      </p>
    )
  );
}
