/**
 * The servers that this page may ask: its own and those that the visitor has allowed. The policy that the page was opened with (index.html)
 * lists them; a change takes effect when the page is opened again.
 */
import { HUB_URL } from '@rl-playground/engine/parts';

/** The script in index.html reads this key, too. */
const STORED = 'rl-playground-servers';

/** The servers to which the Hugging Face Hub redirects for large files. */
const HUB_STORAGE = ['https://*.huggingface.co', 'https://*.hf.co'];

/** The sources that a policy needs for an address. There are none for this page's own server and for what is no address. */
export function serversOf(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { origin, protocol, host } = new URL(address);
  if (!/^(https?|wss?):$/.test(protocol) || origin === window.location.origin) return [];
  // 'self' is the page's own host by WebSocket too.
  if (protocol.startsWith('ws') && host === window.location.host) return [];
  return origin === HUB_URL ? [origin, ...HUB_STORAGE] : [origin];
}

/** The servers for an address that the policy of this page leaves out. The development server's page has no policy. */
export function serversNotAllowed(address: string): readonly string[] {
  const meta = document.querySelector('meta[http-equiv="Content-Security-Policy"]');
  const allowed = /connect-src ([^;]*)/.exec(meta?.getAttribute('content') ?? '')?.[1]?.split(' ');
  return allowed === undefined ? [] : serversOf(address).filter((server) => !allowed.includes(server));
}

export function allowedServers(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(stored) ? stored.filter((server) => typeof server === 'string') : [];
  } catch {
    return [];
  }
}

/** True if the visitor has allowed all servers of an address, and the page was opened with them. */
export function mayAsk(address: string): boolean {
  const allowed = allowedServers();
  const servers = serversOf(address);
  return (
    servers.length > 0 &&
    servers.every((server) => allowed.includes(server)) &&
    serversNotAllowed(address).length === 0
  );
}

/** Allows these servers from the next opening of the page on. @throws Error where the browser stores nothing for this page */
export function setAllowedServers(servers: readonly string[]): void {
  try {
    localStorage.setItem(STORED, JSON.stringify([...new Set(servers)]));
  } catch (error) {
    throw new Error(
      'This browser stores nothing for this page, so it can’t remember what you allow. Let it store data for this site, or load the files from your disk.',
      { cause: error },
    );
  }
}
