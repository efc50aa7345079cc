/** Small pieces that many parts of the page say things with. */
import type { ReactNode } from 'react';

/** A name with its value. The name may have a hint, and the value an id for tests. */
export type Fact = readonly [name: string, value: string, hint?: string, testId?: string];

interface FactsProps {
  readonly entries: readonly Fact[];
  readonly className?: string | undefined;
  readonly testId?: string;
}

export function Facts({ entries, className = '', testId }: FactsProps): ReactNode {
  return (
    <dl className={`facts ${className}`} data-testid={testId}>
      {entries.map(([name, value, hint, id]) => (
        <div key={name} title={hint}>
          <dt>{name}</dt>
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
        {names.map((name) => (
          <th key={name} scope="col">
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
