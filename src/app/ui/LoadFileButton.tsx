import { useRef } from 'react';
import type { ReactNode } from 'react';
import { UploadIcon } from '../icons.tsx';
import { ActionButton } from './ActionButton.tsx';

interface LoadFileButtonProps {
  /** What is said of the button, and of the hidden field that opens the dialog. */
  readonly name: string;
  readonly inputName: string;
  readonly title: string;
  /** As an `accept` attribute. */
  readonly accept: string;
  readonly testId: string;
  readonly usable: boolean;
  readonly onFile: (file: File) => void;
}

/** Chooses one file. */
export function LoadFileButton(props: LoadFileButtonProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <ActionButton
        variant="default"
        size="xs"
        leftSection={<UploadIcon />}
        aria-label={props.name}
        title={props.title}
        usable={props.usable}
        onClick={() => input.current?.click()}
      >
        Load…
      </ActionButton>
      <input
        ref={input}
        type="file"
        accept={props.accept}
        hidden
        aria-label={props.inputName}
        data-testid={props.testId}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // The same file can be chosen again only from an empty input.
          event.currentTarget.value = '';
          if (file !== undefined) props.onFile(file);
        }}
      />
    </>
  );
}
