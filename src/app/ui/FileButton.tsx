import { useRef } from 'react';
import type { ReactNode } from 'react';
import { ActionButton, type ActionButtonProps } from './ActionButton.tsx';

interface FileButtonProps extends Omit<ActionButtonProps, 'onClick'> {
  /** What is said of the hidden field that opens the dialog. */
  readonly inputName: string;
  readonly inputTestId: string;
  /** As an `accept` attribute. */
  readonly accept: string;
  /** Whether several files may be chosen at once. */
  readonly multiple?: boolean;
  /** At least one. */
  readonly onFiles: (files: readonly [File, ...File[]]) => void;
}

/** Opens a dialog that chooses files. */
export function FileButton(props: FileButtonProps): ReactNode {
  const { inputName, inputTestId, accept, multiple = false, onFiles, ...button } = props;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <ActionButton size="xs" variant="default" {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple={multiple}
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
