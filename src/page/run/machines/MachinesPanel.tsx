/** Machines that generate for this page's run: how they are invited, what travels, and which of them are here. */
import { Checkbox, TextInput, CopyButton } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import {
  payoffText,
  workOf,
  type InvitedMachines,
  type ServerAddress,
  invitationLink,
  isLocalAddress,
} from '@rl-playground/machines';
import { promptsInWords } from '@rl-playground/run/data';
import { useShownConfig } from '../form/useField.ts';
import { isBusy } from '../state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { changeMachines, useRun } from '../state/runStore.ts';
import { MachineTable } from './MachineTable.tsx';
import { invite, uninvite } from './machinesActions.ts';
import classes from './machines.module.css';
import { QrCode } from '../../ui/parts/QrCode.tsx';
import { plural } from '@rl-playground/base/text';
import { Fold } from '../../ui/parts/Fold.tsx';
import { Problem } from '../../ui/parts/words.tsx';

/** The reason why other machines can't use the link, or null where they can. */
function obstacle(page: string, { url }: ServerAddress): string | null {
  if (isLocalAddress(page))
    return 'Other machines can’t reach this address of the page: serve it with npm start -- --host 0.0.0.0, and write the address that it prints here.';
  if (isLocalAddress(url))
    return 'Other machines can’t reach this address of the server: start it with npx rl-playground hub --host 0.0.0.0, and connect to the address that it prints.';
  if (page.startsWith('https:') && url.startsWith('ws:'))
    return 'A page loaded over https can reach a server only by wss://: start it with npx rl-playground hub --cert FILE --key FILE, or serve the page by http.';
  return null;
}

function InvitationLink({ server }: { readonly server: ServerAddress }): ReactNode {
  const { task } = useShownConfig();
  const [page, setPage] = useState(`${window.location.origin}${window.location.pathname}`);
  const sound = URL.canParse(page) && /^https?:/.test(page);
  const link = sound ? invitationLink(page, { server, run: null, task }) : null;
  const problem = sound ? obstacle(page, server) : null;
  return (
    <div className="row" style={{ alignItems: 'start' }}>
      {link !== null && <QrCode text={link} />}
      <div className={`stack ${classes.linkWords}`}>
        <TextInput
          label="Address of this page for others"
          value={page}
          error={sound ? null : 'Write http:// or https:// and where others reach this page.'}
          onChange={(event) => setPage(event.currentTarget.value)}
          data-testid="invitation-page"
        />
        {link !== null && (
          <>
            <p className="quiet">
              Anyone who opens this link and clicks Join becomes a generator. The link includes the token:
              share it only with people you trust.
            </p>
            <code className={classes.address} data-testid="invitation-link">
              {link}
            </code>
            <CopyButton value={link}>
              {({ copied, copy }) => (
                <ActionButton onClick={copy} data-testid="invitation-copy">
                  {copied ? 'Copied' : 'Copy link'}
                </ActionButton>
              )}
            </CopyButton>
          </>
        )}
        {problem !== null && (
          <p className="note hint" data-testid="invitation-problem">
            {problem}
          </p>
        )}
      </div>
    </div>
  );
}

function WhatTravels(): ReactNode {
  const { task } = useShownConfig();
  return (
    <p className="quiet" data-testid="what-travels">
      Questions, answers and weights of the run travel through that server. Anyone who has its token can read
      all of it. {promptsInWords(task)}
    </p>
  );
}

function InviteForm(): ReactNode {
  const { address, token, local, working } = useRun((state) => state.machines);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void invite();
  };
  return (
    <form className="stack wide" onSubmit={submit} data-testid="invite">
      <p className="quiet">
        Other machines can write answers for this run: they open a link, or run{' '}
        <code>npx rl-playground generator</code>. They connect through a server that you start with{' '}
        <code>npx rl-playground hub --host 0.0.0.0</code>; it prints the address. Without it this page sends
        nothing.
      </p>
      <WhatTravels />
      <div className="row" style={{ alignItems: 'end' }}>
        <TextInput
          className={classes.address}
          label="Server"
          description="its WebSocket address, as others reach it"
          placeholder="ws://192.168.0.5:8080"
          value={address}
          onChange={(event) => changeMachines({ address: event.currentTarget.value })}
          data-testid="invite-address"
        />
        <TextInput
          label="Token"
          description="if it is not in the address"
          value={token}
          onChange={(event) => changeMachines({ token: event.currentTarget.value })}
          data-testid="invite-token"
        />
      </div>
      <Checkbox
        label="This page’s own generators answer too"
        checked={local}
        onChange={(event) => changeMachines({ local: event.currentTarget.checked })}
      />
      <div>
        <ActionButton
          type="submit"
          variant="filled"
          usable={!working && address.trim() !== ''}
          data-testid="invite-button"
        >
          {working ? 'Connecting…' : 'Connect'}
        </ActionButton>
      </div>
    </form>
  );
}

/** Says by the last steps whether more generators would pay. */
function Payoff(): ReactNode {
  const metrics = useRun(({ snapshot }) => snapshot.metrics);
  const schedule = useRun(({ snapshot }) => snapshot.config?.schedule);
  const work = schedule && workOf(metrics, schedule);
  if (!work) return null;
  return (
    <p className="quiet" data-testid="payoff">
      {payoffText(work)}
    </p>
  );
}

interface InvitingProps {
  readonly server: ServerAddress;
  readonly now: InvitedMachines;
}

/** The state of the server with what it means for the run, and the machines that have joined. */
function Inviting({ server, now }: InvitingProps): ReactNode {
  const { local, working } = useRun((state) => state.machines);
  const busy = useRun(({ snapshot }) => isBusy(snapshot.phase));
  return (
    <div className="stack wide">
      {now.connected ? (
        <p role="status" data-testid="server-line">
          Connected to {now.server}. {now.run !== null && `Machines see this run as ${now.run}. `}
          {!busy
            ? 'Machines that join start to answer the next time you press Train.'
            : local
              ? 'This page’s own generators answer too.'
              : 'All answers come from machines that join.'}
        </p>
      ) : (
        <p role="alert" className="note bad" data-testid="server-gone">
          The server at {now.server} does not answer. This page keeps trying;{' '}
          {local ? 'meanwhile only its own generators answer.' : 'meanwhile the run waits.'}
        </p>
      )}
      <InvitationLink server={server} />
      <WhatTravels />
      <MachineTable machines={now.machines} own={now.own} />
      <Payoff />
      <div>
        <ActionButton
          usable={!working && !busy}
          title={busy ? 'Pause or stop the run first' : undefined}
          data-testid="uninvite-button"
          onClick={() => void uninvite()}
        >
          Stop inviting
        </ActionButton>
      </div>
    </div>
  );
}

/** Phones and laptops as generators of the run, folded. */
export function MachinesPanel(): ReactNode {
  const { server, problem, now } = useRun((state) => state.machines);
  const here = now?.machines.filter((machine) => machine.here).length;
  return (
    <section className="panel" aria-label="Invite generators">
      <Fold
        title="Invite generators"
        note={
          here === undefined
            ? 'phones and laptops that answer for this run'
            : `${plural(here, 'machine')} here`
        }
        part="machines"
      >
        <Problem text={problem} testId="invite-problem" />
        {server === null || now === null ? <InviteForm /> : <Inviting server={server} now={now} />}
      </Fold>
    </section>
  );
}
