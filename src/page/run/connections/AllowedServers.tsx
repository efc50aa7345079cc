import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { mayConnect } from './ask.ts';
import { allowedServers, serversNotAllowed, setAllowedServers } from './servers.ts';

/** The servers that the visitor has allowed, each with a button that takes it back, and a field for one more. */
export function AllowedServers(): ReactNode {
  const [servers, setServers] = useState(allowedServers);
  const [address, setAddress] = useState('');
  const [said, setSaid] = useState('');
  const takeBack = (server: string): void => {
    const others = servers.filter((each) => each !== server);
    setAllowedServers(others);
    setServers(others);
  };
  const allow = async (): Promise<void> => {
    setSaid('');
    try {
      await mayConnect(address);
    } catch (error) {
      setSaid(messageOf(error));
    }
  };
  return (
    <section
      aria-label="Servers that this page may contact"
      data-testid="allowed-servers"
      style={{ flexBasis: '100%', maxWidth: 560 }}
    >
      {servers.length > 0 && (
        <p className="quiet">
          This page may connect to these servers. If you remove one, the change applies when the page is next
          opened.
        </p>
      )}
      <ul className="plain">
        {servers.map((server) => (
          <li key={server} className="row apart">
            {server}
            <ActionButton size="xs" aria-label={`Remove: ${server}`} onClick={() => takeBack(server)}>
              Remove
            </ActionButton>
          </li>
        ))}
      </ul>
      <div className="row" style={{ alignItems: 'end' }}>
        <TextInput
          flex={1}
          label="Storage"
          description="Another address where that server keeps large files"
          placeholder="https://storage.example.org"
          value={address}
          error={said === '' ? null : said}
          data-testid="storage-address"
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <ActionButton
          usable={serversNotAllowed(address).length > 0}
          data-testid="storage-allow"
          onClick={() => void allow()}
        >
          Allow…
        </ActionButton>
      </div>
    </section>
  );
}
