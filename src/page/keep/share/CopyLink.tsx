/** A button that copies a link to a run, and says what the link holds or lacks. */
import { useCallback, useState, type ReactNode } from 'react';
import type { RunConfig } from '@rl-playground/run/settings';
import type { Classroom } from '../../run/address/classroom.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useLoaded } from '../../ui/draw/useLoaded.ts';
import { copyLink, linkTo, SAVE_TASKS, type RunLink } from './links.ts';

/** The link to a run; null until it is made, which takes a moment where it carries tasks. */
export function useLink(config: RunConfig | null, classroom?: Classroom): RunLink | null {
  const make = useCallback(async () => config && linkTo(config, classroom), [config, classroom]);
  return useLoaded(make).value;
}

interface CopyLinkProps {
  readonly link: RunLink;
  readonly label: string;
  readonly testId: string;
}

export function CopyLink({ link, label, testId }: CopyLinkProps): ReactNode {
  const [copied, setCopied] = useState({ address: '', said: '' });
  const copy = async (): Promise<void> => setCopied({ address: link.address, said: await copyLink(link) });
  return (
    <>
      <ActionButton usable onClick={() => void copy()} data-testid={testId}>
        {label}
      </ActionButton>
      <span role="status" className="quiet">
        {copied.address === link.address && copied.said}
      </span>
      {link.lacks !== null && (
        <ActionButton usable onClick={link.lacks.save}>
          {SAVE_TASKS}
        </ActionButton>
      )}
    </>
  );
}
