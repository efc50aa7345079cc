/** The link that makes a page a generator, and its picture for phones. */
import { CopyButton, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ServerAddress } from '../../../machines/addresses.ts';
import { invitationLink, isLocalAddress } from '../../../machines/invitation.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { QrCode } from '../../ui/parts/QrCode.tsx';
import classes from './machines.module.css';

/** What keeps other machines from using the link; null where nothing does. */
function obstacle(page: string, { url }: ServerAddress): string | null {
  if (isLocalAddress(page))
    return 'Other machines can’t reach this address of the page: serve it with npm start -- --host 0.0.0.0, and write the address that it prints here.';
  if (isLocalAddress(url))
    return 'Other machines can’t reach this address of the server: start it with npx rl-playground hub --host 0.0.0.0, and connect to the address that it prints.';
  if (page.startsWith('https:') && url.startsWith('ws:'))
    return 'A page that comes by https reaches a server by wss:// only: start it with npx rl-playground hub --cert FILE --key FILE, or serve the page by http.';
  return null;
}

interface InvitationLinkProps {
  readonly server: ServerAddress;
  readonly task: string;
}

export function InvitationLink({ server, task }: InvitationLinkProps): ReactNode {
  const [page, setPage] = useState(`${window.location.origin}${window.location.pathname}`);
  const sound = URL.canParse(page) && /^https?:/.test(page);
  const link = sound ? invitationLink(page, { server, run: null, task }) : null;
  const problem = sound ? obstacle(page, server) : null;
  return (
    <div className={classes.link}>
      {link !== null && <QrCode text={link} className={classes.code} />}
      <div className={classes.linkWords}>
        <TextInput
          label="Address of this page for others"
          value={page}
          error={sound ? null : 'Write http:// or https:// and where others reach this page.'}
          onChange={(event) => setPage(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-testid="invitation-page"
        />
        {link !== null && (
          <>
            <p className={classes.what}>
              Whoever opens this link becomes a generator, after a click on Join. The token is in it: give it
              to nobody else.
            </p>
            <code className={classes.address} data-testid="invitation-link">
              {link}
            </code>
            <CopyButton value={link}>
              {({ copied, copy }) => (
                <ActionButton usable variant="default" onClick={copy} data-testid="invitation-copy">
                  {copied ? 'Copied' : 'Copy link'}
                </ActionButton>
              )}
            </CopyButton>
          </>
        )}
        {problem !== null && (
          <p className={classes.note} data-testid="invitation-problem">
            {problem}
          </p>
        )}
      </div>
    </div>
  );
}
