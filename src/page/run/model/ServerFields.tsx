import { PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Fold } from '../../ui/parts/Fold.tsx';
import { AllowedServers } from '../connections/AllowedServers.tsx';
import { changeHub, serverOf, setServer, useHub } from './hubStore.ts';
import classes from './model.module.css';

/** The server and the token, which are the same for models, datasets and what is sent. */
export function HubFields(): ReactNode {
  const { token, hubUrl } = useHub();
  const server = serverOf({ hubUrl });
  return (
    <div className={`row ${classes.form}`}>
      <TextInput
        className={classes.name}
        label="Server"
        description="Another server with the Hub’s paths"
        placeholder="https://huggingface.co"
        value={hubUrl}
        data-testid="hub-url"
        onChange={(event) => setServer(event.currentTarget.value)}
        error={server === null ? 'An address begins with https:// or http://' : null}
      />
      <PasswordInput
        className={classes.name}
        label="Hub token"
        description={
          server === null
            ? 'Name a server first'
            : `Sent to ${server} only; forgotten when this page closes or another server is named`
        }
        value={token}
        data-testid="hub-token"
        onChange={(event) => changeHub({ token: event.currentTarget.value })}
      />
      <AllowedServers />
    </div>
  );
}

/** The same in a fold, because most models are open to everyone. */
export function ServerFields({ note }: { note: string }): ReactNode {
  return (
    <Fold title="Token and server" note={note}>
      <HubFields />
    </Fold>
  );
}
