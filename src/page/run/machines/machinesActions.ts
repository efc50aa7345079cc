/** Inviting machines, and inviting nobody any more. */
import { messageOf } from '@rl-playground/base/errors';
import { addressWithToken, type ServerAddress } from '../../../machines/addresses.ts';
import { parsePageAddress } from '../../../machines/invitation.ts';
import { mayConnect } from '../connections/ask.ts';
import { serversNotAllowed } from '../connections/servers.ts';
import { useApp } from '../state/store.ts';
import { throttled } from '../../ui/draw/throttle.ts';
import { TYPED, useMachines, type Typed } from './machinesStore.ts';

/** Milliseconds between two drawings of what goes on. */
const DRAWN_EVERY = 250;

let unsubscribe = (): void => undefined;

/** The server that was typed. @throws a sentence where it is none. */
function typedServer({ address, token }: Typed): ServerAddress {
  const text = address.trim();
  const server = parsePageAddress(text.includes('://') ? text : `ws://${text}`);
  return token.trim() === '' ? server : { ...server, token: token.trim() };
}

async function during(work: () => Promise<void>): Promise<void> {
  if (useMachines.getState().working) return;
  useMachines.setState({ working: true, problem: null });
  try {
    await work();
  } catch (error) {
    useMachines.setState({ problem: messageOf(error) });
  } finally {
    useMachines.setState({ working: false });
  }
}

/** Connects to the server that was typed, where need be after asking whether the page may: from the run's next start on machines may join. */
export function invite(): Promise<void> {
  return during(async () => {
    const { address, token, local } = useMachines.getState();
    const server = typedServer({ address, token, local });
    if (serversNotAllowed(server.url).length > 0) {
      remember({ address, token, local });
      await mayConnect(server.url).finally(() => remember(null));
    }
    const { controller } = useApp.getState();
    if (controller === null) throw new Error('The engine has not started yet. Wait for it, then try again.');
    const machines = await controller.machines();
    await machines.invite(addressWithToken(server), { local });
    const draw = throttled(() => useMachines.setState({ now: machines.snapshot() }), DRAWN_EVERY);
    useMachines.setState({ server, now: machines.snapshot() });
    unsubscribe();
    unsubscribe = machines.subscribe(draw);
  });
}

/** Nobody is invited any more. */
export function uninvite(): Promise<void> {
  return during(async () => {
    unsubscribe();
    await (await useApp.getState().controller?.machines())?.leave();
    useMachines.setState({ server: null, now: null });
  });
}

function remember(typed: Typed | null): void {
  try {
    if (typed === null) sessionStorage.removeItem(TYPED);
    else sessionStorage.setItem(TYPED, JSON.stringify(typed));
  } catch {
    // Then it is typed again.
  }
}
