/**
 * Servers that this page may ask: its own and those that the visitor has allowed. The policy that the page was opened with (index.html)
 * says which; what is stored here is for the next time it opens.
 */
import { HUB_URL } from '@rl-playground/engine/parts';

/** Read by the script in index.html too. */
const STORED = 'rl-playground-servers';

/** Where the Hugging Face Hub sends on to for large files. */
const HUB_STORAGE = ['https://*.huggingface.co', 'https://*.hf.co'];

/** The sources, as a policy names them, that talking to an address takes; none for this page's own server and for what is no address. */
export function serversOf(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { origin, protocol, host } = new URL(address);
  if (!/^(https?|wss?):$/.test(protocol) || origin === window.location.origin) return [];
  // 'self' is the page's own host by WebSocket too.
  if (protocol.startsWith('ws') && host === window.location.host) return [];
  return origin === HUB_URL ? [origin, ...HUB_STORAGE] : [origin];
}

/** What the page's policy lets it ask; null where it has none, as under the development server. */
function policyServers(): readonly string[] | null {
  const policy = document
    .querySelector('meta[http-equiv="Content-Security-Policy"]')
    ?.getAttribute('content');
  const sources = /connect-src ([^;]*)/.exec(policy ?? '')?.[1];
  return sources === undefined ? null : sources.split(' ');
}

/** Those that the policy of this page, as it was opened, leaves out. */
export function serversNotAllowed(address: string): readonly string[] {
  const allowed = policyServers();
  return allowed === null ? [] : serversOf(address).filter((server) => !allowed.includes(server));
}

/** In the order in which they were allowed. */
export function allowedServers(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(stored) ? stored.filter((server) => typeof server === 'string') : [];
  } catch {
    return [];
  }
}

/** Whether the visitor has allowed all that talking to an address takes, and the page was opened with it. */
export function mayAsk(address: string): boolean {
  const allowed = allowedServers();
  const servers = serversOf(address);
  return (
    servers.length > 0 &&
    servers.every((server) => allowed.includes(server)) &&
    serversNotAllowed(address).length === 0
  );
}

/** From the next time on that the page is opened. @throws Error where the browser stores nothing for this page */
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
