/** Asks the visitor before the page talks to a server that is not its own. */
import { askConnection, useOpen, addNotice } from '../../ui/open/openStore.ts';
import { serversNotAllowed, serversOf } from './servers.ts';

/** Resolves if the page may ask the server of an address. @throws Error where the visitor says no */
export async function mayConnect(address: string): Promise<void> {
  const servers = serversNotAllowed(address);
  if (servers.length === 0) return;
  const allowed = await new Promise<boolean>((answer) => askConnection({ servers, answer }));
  askConnection(null);
  if (!allowed)
    throw new Error(
      `${servers[0]} was not asked, because this page may not connect to it. Try again to allow it.`,
    );
}

/** Tells that a server redirected the page. Browsers do not tell the page where to. */
function sayRedirected(address: string): void {
  addNotice({
    id: 'redirected',
    kind: 'warning',
    title: 'A server redirected to another one',
    text: `${new URL(address).origin} keeps files on another server, which this page may not connect to. Ask the people who run it for the address of its storage, and allow that under “Token and server”.`,
  });
}

/** Asks the visitor when the policy refuses a connection that nobody could foresee, such as an upload to another server. */
export function askWhereRefused(): void {
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, disposition, blockedURI }) => {
    if (effectiveDirective !== 'connect-src' || disposition !== 'enforce') return;
    if (serversOf(blockedURI).length === 0) return;
    if (serversNotAllowed(blockedURI).length === 0) sayRedirected(blockedURI);
    else if (useOpen.getState().connection === null) mayConnect(blockedURI).catch(() => undefined);
  });
}
