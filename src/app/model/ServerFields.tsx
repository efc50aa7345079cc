import { PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Fold } from '../ui/Fold.tsx';
import { AllowedServers } from '../connections/AllowedServers.tsx';
import { useHub } from './hubSettings.ts';
import classes from './model.module.css';

/** Who asks, and whom: the same for models, datasets and what is sent. */
export function HubFields(): ReactNode {
  const { token, hubUrl } = useHub();
  return (
    <div className={classes.form}>
      <PasswordInput
        className={classes.name}
        label="Hub token"
        description="Sent to the Hub alone and forgotten when this page closes"
        value={token}
        data-testid="hub-token"
        onChange={(event) => useHub.setState({ token: event.currentTarget.value })}
        autoComplete="off"
      />
      <TextInput
        className={classes.name}
        label="Server"
        description="Another server with the Hub’s paths"
        placeholder="https://huggingface.co"
        value={hubUrl}
        data-testid="hub-url"
        onChange={(event) => useHub.setState({ hubUrl: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <AllowedServers />
    </div>
  );
}

/** The same, folded: most models are open to everyone. */
export function ServerFields({ note }: { note: string }): ReactNode {
  return (
    <Fold title="Token and server" note={note}>
      <HubFields />
    </Fold>
  );
}
