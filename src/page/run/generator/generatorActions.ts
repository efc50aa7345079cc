/** The actions of a page that is a generator. */
import { messageOf } from '@rl-playground/base/errors';
import { readInvitation } from '@rl-playground/machines';
import { runName } from '@rl-playground/run/kept';
import { readAddress } from '../address/address.ts';
import { allowedServers, mayAsk, serversNotAllowed, setAllowedServers } from '../connections/servers.ts';
import { throttled } from '../../ui/draw/throttle.ts';
import { changeGenerator, useRun } from '../state/runStore.ts';

/** Milliseconds between two drawings. */
const DRAWN_EVERY = 100;
/** The key in this tab's storage that says that somebody has agreed, while the page is opened again under the policy that allows it. */
const AGREED = 'rl-playground-agreed';

/** Connects to the server that was agreed to, if necessary after the page was opened again under a policy that names it. */
export async function join(): Promise<void> {
  const { invitation, name, generator } = useRun.getState().generator;
  if (invitation === null || generator !== null) return;
  const { url } = invitation.server;
  const missing = serversNotAllowed(url);
  try {
    if (missing.length > 0) {
      setAllowedServers([...allowedServers(), ...missing]);
      sessionStorage.setItem(AGREED, JSON.stringify({ url, name }));
      window.location.reload();
      return;
    }
    const { PageGenerator } = await import('@rl-playground/machines/pageGenerator');
    const made = new PageGenerator(invitation, mayAsk);
    const draw = throttled(() => changeGenerator({ now: made.snapshot() }), DRAWN_EVERY);
    made.subscribe(draw);
    changeGenerator({ generator: made, now: made.snapshot(), problem: null });
    window.rlPlaygroundGenerator = made;
    window.addEventListener('pagehide', () => made.leave());
    await made.serve(name, readAddress(window.location.search).backend);
  } catch (error) {
    changeGenerator({ problem: messageOf(error) });
  }
}

/** Reads the link as the page opens, and connects if somebody agreed before the page was opened again. */
export function joinIfAgreed(): void {
  changeGenerator({ name: runName(String(crypto.getRandomValues(new Uint32Array(1))[0])) });
  try {
    changeGenerator({ invitation: readInvitation(window.location.hash) });
  } catch (error) {
    changeGenerator({ problem: messageOf(error) });
  }
  const { invitation } = useRun.getState().generator;
  let agreed: { url?: unknown; name?: unknown } = {};
  try {
    agreed = JSON.parse(sessionStorage.getItem(AGREED) ?? '{}') as typeof agreed;
    sessionStorage.removeItem(AGREED);
  } catch {
    // Storage is refused: the button is there.
  }
  if (invitation === null || agreed.url !== invitation.server.url) return;
  if (typeof agreed.name === 'string') changeGenerator({ name: agreed.name });
  void join();
}

/** Joins again after leaving. */
export function joinAgain(): void {
  changeGenerator({ generator: null, now: null });
  void join();
}
