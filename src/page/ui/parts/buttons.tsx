/** Buttons that keep the focus, and that take files. */
import { Button, type ButtonProps, type ElementProps } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import boxes from '../style/boxes.module.css';

interface ActionButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  /** False while pressing it does nothing. */
  readonly usable?: boolean;
}

/** A button that keeps the keyboard's focus while it can't be used. A disabled one would drop it. */
export function ActionButton({ usable = true, onClick, ...rest }: ActionButtonProps): ReactNode {
  return (
    <Button
      {...rest}
      aria-disabled={!usable}
      data-disabled={!usable || undefined}
      onClick={usable ? onClick : undefined}
    />
  );
}

/** A button that looks like a link within a line of text. */
export function LinkButton(props: ElementProps<'button', 'type' | 'className'>): ReactNode {
  return <button type="button" className="bare link" {...props} />;
}

interface ChoiceCardProps extends ElementProps<'button', 'type' | 'className' | 'title'> {
  readonly title: string;
  readonly note?: string;
}

/** One of several things to choose, as a button with a border. */
export function ChoiceCard({ title, note, ...rest }: ChoiceCardProps): ReactNode {
  return (
    <button type="button" className={boxes.card} {...rest}>
      <b>{title}</b>
      {note !== undefined && <span className="quiet">{note}</span>}
    </button>
  );
}

interface FileButtonProps extends Omit<ActionButtonProps, 'onClick'> {
  /** The name of the hidden field that opens the dialog. */
  readonly inputName: string;
  readonly inputTestId: string;
  readonly accept: string;
  readonly multiple?: boolean;
  /** True if a whole folder is chosen. The names of its files are paths then. */
  readonly folder?: boolean;
  readonly onFiles: (files: readonly [File, ...File[]]) => void;
}

export function FileButton(props: FileButtonProps): ReactNode {
  const { inputName, inputTestId, accept, multiple = false, folder = false, onFiles, ...button } = props;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <ActionButton {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple={multiple}
        {...(folder && { webkitdirectory: '' })}
        hidden
        accept={accept}
        aria-label={inputName}
        data-testid={inputTestId}
        onChange={(event) => {
          const [first, ...others] = event.currentTarget.files ?? [];
          // The same file can be chosen again only from an empty input.
          event.currentTarget.value = '';
          if (first !== undefined) onFiles([first, ...others]);
        }}
      />
    </>
  );
}
