/** Invites machines to generate, and stops inviting. */
import { messageOf } from '@rl-playground/base/errors';
import { addressWithToken, type ServerAddress, parsePageAddress } from '@rl-playground/machines';
import { mayConnect } from '../connections/ask.ts';
import { serversNotAllowed } from '../connections/servers.ts';
import { setOpen } from '../../ui/open/openStore.ts';
import { throttled } from '../../ui/draw/throttle.ts';
import { machinesOfRun } from './machinesOfRun.ts';
import { changeMachines, useRun } from '../state/runStore.ts';

/** Milliseconds between two drawings. */
const DRAWN_EVERY = 250;

/** The key in this tab's storage for what was typed, while the page is opened again for a server that was just allowed. */
const TYPED = 'rl-playground-invite';

interface Typed {
  readonly address: string;
  readonly token: string;
  readonly local: boolean;
}

function rememberTyped(typed: Typed | null): void {
  try {
    if (typed === null) sessionStorage.removeItem(TYPED);
    else sessionStorage.setItem(TYPED, JSON.stringify(typed));
  } catch {
    // Then it is typed again.
  }
}

// What was typed before the page was opened again.
try {
  const typed = JSON.parse(sessionStorage.getItem(TYPED) ?? 'null') as Typed | null;
  sessionStorage.removeItem(TYPED);
  if (typed !== null) {
    changeMachines(typed);
    setOpen('machines');
  }
} catch {
  // It is typed again.
}

let unsubscribe = (): void => undefined;

/** The server that was typed. @throws Error where the text is no address */
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

/** Connects to the server that was typed, after asking whether the page may. Machines may join from the run's next start on. */
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

export function uninvite(): Promise<void> {
  return during(async () => {
    unsubscribe();
    const { controller } = useRun.getState();
    if (controller !== null) await (await machinesOfRun(controller)).leave();
    changeMachines({ server: null, now: null });
  });
}
