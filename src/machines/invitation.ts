/**
 * The link that makes a page a generator. What it says stands in its fragment, which a browser sends to no server: `#join=ws://TOKEN@host:8080`,
 * `&task=NAME` what its prompts are of, and `&run=NAME` where it is for one of several runs.
 */
import { addressWithToken, parseServerAddress, type ServerAddress } from './addresses.ts';

export interface Invitation {
  readonly server: ServerAddress;
  /** Null for the first run that there is. */
  readonly run: string | null;
  /** Name of the task that its prompts are of, by the word of whoever invites; null where the link does not say. */
  readonly task: string | null;
}

const JOIN = 'join';

/** Whether a page with this fragment (`location.hash`) is opened to be a generator. */
export function isInvitation(hash: string): boolean {
  return hash.startsWith(`#${JOIN}=`);
}

/** @throws a sentence without the token where the address in it is none that a page can reach. */
export function readInvitation(hash: string): Invitation {
  const words = new URLSearchParams(hash.slice(1));
  return { server: parsePageAddress(words.get(JOIN) ?? ''), run: words.get('run'), task: words.get('task') };
}

/** A server's address as a page needs it. @throws a sentence where it is none, or no WebSocket's. */
export function parsePageAddress(text: string): ServerAddress {
  const server = parseServerAddress(text);
  if (!server.webSocket)
    throw new Error(
      `A page reaches a server by WebSocket only: write ws:// or wss:// in place of ${server.url}, with the port for pages (8080).`,
    );
  return server;
}

/** `page`: the address of a page of this app. */
export function invitationLink(page: string, { server, run, task }: Invitation): string {
  const words = new URLSearchParams({
    [JOIN]: addressWithToken(server),
    ...(task !== null && { task }),
    ...(run !== null && { run }),
  });
  const link = new URL(page);
  link.search = '';
  // What a fragment may hold as it is, so that the link can be read and its picture stays small.
  link.hash = words.toString().replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%40', '@');
  return link.href;
}

const LOCAL_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether an address leads everyone to a machine of his own. */
export function isLocalAddress(url: string): boolean {
  return LOCAL_HOST.test(new URL(url.replace(/^\w+:/, 'http:')).hostname);
}
