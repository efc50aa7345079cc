/** A page that is a generator: what it was invited to, and how it goes. */
import { create } from 'zustand';
import { messageOf } from '@rl-playground/base/errors';
import { readInvitation, type Invitation } from '../../../machines/invitation.ts';
import { runName } from '../../../run/kept/runName.ts';
import type { PageGenerator, PageGeneratorState } from '../../../run/pageGenerator.ts';
import { readAddress } from '../address/address.ts';
import { allowedServers, mayAsk, serversNotAllowed, setAllowedServers } from '../connections/servers.ts';
import { throttled } from '../../ui/draw/throttle.ts';

/** Between two drawings of what goes on. */
const DRAWN_EVERY = 100;
/** In this tab's storage from the moment that somebody has agreed until the page is open again under the policy that lets it. */
const AGREED = 'rl-playground-agreed';

interface GeneratorState {
  /** Null where the link holds none that can be used. */
  readonly invitation: Invitation | null;
  readonly name: string;
  /** Null until somebody has agreed. */
  readonly generator: PageGenerator | null;
  readonly now: PageGeneratorState | null;
  /** What is wrong with the link, or with joining. */
  readonly problem: string | null;
}

function invited(): Pick<GeneratorState, 'invitation' | 'problem'> {
  try {
    return { invitation: readInvitation(window.location.hash), problem: null };
  } catch (error) {
    return { invitation: null, problem: messageOf(error) };
  }
}

export const useGenerator = create<GeneratorState>(() => ({
  ...invited(),
  name: runName(String(crypto.getRandomValues(new Uint32Array(1))[0])),
  generator: null,
  now: null,
}));

/** The server was agreed to: connects, where need be after the page has been opened again under a policy that names it. */
export async function join(): Promise<void> {
  const { invitation, name, generator } = useGenerator.getState();
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
    const { PageGenerator } = await import('../../../run/pageGenerator.ts');
    const made = new PageGenerator(invitation, mayAsk);
    const draw = throttled(() => useGenerator.setState({ now: made.snapshot() }), DRAWN_EVERY);
    made.subscribe(draw);
    useGenerator.setState({ generator: made, now: made.snapshot(), problem: null });
    window.rlPlaygroundGenerator = made;
    window.addEventListener('pagehide', () => made.leave());
    await made.serve(name, readAddress(window.location.search).backend);
  } catch (error) {
    useGenerator.setState({ problem: messageOf(error) });
  }
}

/** Goes on where the page was opened again for what had been agreed to. */
export function joinIfAgreed(): void {
  const { invitation } = useGenerator.getState();
  let agreed: { url?: unknown; name?: unknown } = {};
  try {
    agreed = JSON.parse(sessionStorage.getItem(AGREED) ?? '{}') as typeof agreed;
    sessionStorage.removeItem(AGREED);
  } catch {
    // Storage is refused: the button is there.
  }
  if (invitation === null || agreed.url !== invitation.server.url) return;
  if (typeof agreed.name === 'string') useGenerator.setState({ name: agreed.name });
  void join();
}

/** After it has left: the same again. */
export function joinAgain(): void {
  useGenerator.setState({ generator: null, now: null });
  void join();
}
