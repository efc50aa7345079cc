/** Inviting machines, and inviting nobody any more. */
import { messageOf } from '@rl-playground/base/errors';
import { addressWithToken, type ServerAddress, parsePageAddress } from '@rl-playground/machines';
import { mayConnect } from '../connections/ask.ts';
import { serversNotAllowed } from '../connections/servers.ts';
import { throttled } from '../../ui/draw/throttle.ts';
import { changeMachines, useRun } from '../state/runStore.ts';
import { machinesOfRun } from './machinesOfRun.ts';
import { rememberTyped, type Typed } from './typed.ts';

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
  if (useRun.getState().machines.working) return;
  changeMachines({ working: true, problem: null });
  try {
    await work();
  } catch (error) {
    changeMachines({ problem: messageOf(error) });
  } finally {
    changeMachines({ working: false });
  }
}

/** Connects to the server that was typed, where need be after asking whether the page may: from the run's next start on machines may join. */
export function invite(): Promise<void> {
  return during(async () => {
    const { address, token, local } = useRun.getState().machines;
    const server = typedServer({ address, token, local });
    if (serversNotAllowed(server.url).length > 0) {
      rememberTyped({ address, token, local });
      await mayConnect(server.url).finally(() => rememberTyped(null));
    }
    const { controller } = useRun.getState();
    if (controller === null) throw new Error('The engine has not started yet. Wait for it, then try again.');
    const machines = await machinesOfRun(controller);
    await machines.invite(addressWithToken(server), { local });
    const draw = throttled(() => changeMachines({ now: machines.snapshot() }), DRAWN_EVERY);
    changeMachines({ server, now: machines.snapshot() });
    unsubscribe();
    unsubscribe = machines.subscribe(draw);
  });
}

/** Nobody is invited any more. */
export function uninvite(): Promise<void> {
  return during(async () => {
    unsubscribe();
    const { controller } = useRun.getState();
    if (controller !== null) await (await machinesOfRun(controller)).leave();
    changeMachines({ server: null, now: null });
  });
}
