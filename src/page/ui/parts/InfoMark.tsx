import { type ComponentProps, type ReactNode } from 'react';
import { InfoIcon } from './icons.tsx';
import { lazyPart } from '../draw/lazyPart.tsx';
import type { HintProps } from './Hint.tsx';
import classes from './InfoMark.module.css';

/** Something with a hint, which is drawn without it until the hint is loaded. */
export const Hinted = lazyPart<HintProps>(
  async () => (await import('./Hint.tsx')).Hint,
  ({ children }) => children,
);

interface MarkButtonProps extends ComponentProps<'button'> {
  /** The words for a screen reader, since the button shows no text. */
  readonly 'aria-label': string;
}

/** A small button of one icon within a line of text. */
export function MarkButton({ className = '', ...rest }: MarkButtonProps): ReactNode {
  return <button type="button" className={`bare ${classes.mark} ${className}`} {...rest} />;
}

/** A small mark that explains what is beside it, on hover, focus and touch. */
export function InfoMark({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <Hinted label={children}>
      <MarkButton aria-label={label} style={{ cursor: 'help' }}>
        <InfoIcon />
      </MarkButton>
    </Hinted>
  );
}
