import { Suspense, type ComponentProps, type ReactNode } from 'react';
import { InfoIcon } from './icons.tsx';
import { lazyPart } from '../draw/lazyPart.tsx';
import classes from './InfoMark.module.css';

const Hint = lazyPart(async () => (await import('./Hint.tsx')).Hint);

interface MarkButtonProps extends ComponentProps<'button'> {
  /** What a screen reader says: there is no text. */
  readonly 'aria-label': string;
}

/** A small button of one icon within a line of text. */
export function MarkButton({ className = '', ...rest }: MarkButtonProps): ReactNode {
  return <button type="button" className={`${classes.mark} ${className}`} {...rest} />;
}

interface InfoMarkProps {
  /** What a screen reader says. */
  readonly label: string;
  readonly width: number;
  /** What is shown. */
  readonly children: ReactNode;
}

/** A small mark that explains what it stands beside, on hover, focus and touch. */
export function InfoMark({ label, width, children }: InfoMarkProps): ReactNode {
  const mark = (
    <MarkButton aria-label={label} style={{ cursor: 'help' }}>
      <InfoIcon />
    </MarkButton>
  );
  return (
    <Suspense fallback={mark}>
      <Hint label={children} width={width}>
        {mark}
      </Hint>
    </Suspense>
  );
}
