import { Group, Modal } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { atRest, isBusy } from '../state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import type { ConnectionAsked } from '../../ui/open/openStore.ts';
import { useRun } from '../state/runStore.ts';
import { allowedServers, setAllowedServers } from './servers.ts';
import { Problem } from '../../ui/parts/words.tsx';

/** Keeps the run in this browser and opens the page again. @throws Error where the run can't be kept */
async function reloadWithRun(): Promise<void> {
  const { controller, kept } = useRun.getState();
  if (controller !== null) await atRest(controller);
  if ((await kept?.keepNow()) === false)
    throw new Error(
      'The run could not be kept in this browser, and a reload would lose it. Download a checkpoint first, then Reset, then allow the connection.',
    );
  window.location.reload();
}

/** Asks whether the page may talk to a server. The policy that allows it takes effect when the page is opened again. */
export function ConnectionQuestion({ servers, answer }: ConnectionAsked): ReactNode {
  const [reloading, setReloading] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [server, ...others] = servers;
  const running = useRun((state) => isBusy(state.snapshot.phase));
  const begun = useRun((state) => state.snapshot.config !== null);
  const allow = async (): Promise<void> => {
    setReloading(true);
    setProblem(null);
    try {
      setAllowedServers([...allowedServers(), ...servers]);
      await reloadWithRun();
    } catch (error) {
      setReloading(false);
      setProblem(messageOf(error));
    }
  };
  return (
    <Modal
      opened
      centered
      onClose={() => answer(false)}
      title={`Allow this page to connect to ${server}?`}
      closeButtonProps={{ 'aria-label': 'Don’t allow it' }}
      transitionProps={{ duration: 0 }}
      data-testid="connection-question"
    >
      <div className="stack wide">
        {others.length > 0 && <p>And to the servers where it keeps large files: {others.join(', ')}.</p>}
        <p>
          The page connects only to its own server and to those that you allow.{' '}
          {server?.startsWith('ws')
            ? 'Through this one, machines that you invite get the questions and weights of your runs, and send answers. Anyone who has its token can read all of this.'
            : 'The page sends it the names that you search for, your token if you give one, and what you choose to publish, but nothing else of your runs.'}
        </p>
        <p>
          The page reloads for this.
          {begun &&
            ` The run is ${running ? 'paused and ' : ''}kept in this browser, and you can continue it after the reload. Files that you have loaded must be loaded again.`}{' '}
          This browser remembers the answer until you remove the server under “Token and server”.
        </p>
        <Problem text={problem} />
        <Group justify="flex-end" gap="xs">
          <ActionButton usable={!reloading} onClick={() => answer(false)}>
            Don’t allow
          </ActionButton>
          <ActionButton
            variant="filled"
            usable={!reloading}
            data-testid="connection-allow"
            onClick={() => void allow()}
          >
            {reloading ? 'Reloading…' : 'Allow and reload'}
          </ActionButton>
        </Group>
      </div>
    </Modal>
  );
}
