/**
 * The link that makes a page a generator. Its data is in the fragment, which a browser sends to no server: `#join=ws://TOKEN@host:8080`,
 * `&task=NAME` for the task of its prompts, and `&run=NAME` if it is for one of several runs.
 */
import { addressWithToken, parseServerAddress, type ServerAddress } from './addresses.ts';

export interface Invitation {
  readonly server: ServerAddress;
  readonly run: string | null;
  /** The name of the task of its prompts, as the inviting person says; null if the link does not say. */
  readonly task: string | null;
}

const JOIN = 'join';

/** True if a page with this fragment (`location.hash`) is opened as a generator. */
export function isInvitation(hash: string): boolean {
  return hash.startsWith(`#${JOIN}=`);
}

/** @throws Error with a sentence for people, without the token, if a page can't reach the address in it. */
export function readInvitation(hash: string): Invitation {
  const words = new URLSearchParams(hash.slice(1));
  return { server: parsePageAddress(words.get(JOIN) ?? ''), run: words.get('run'), task: words.get('task') };
}

/** Reads a server's address for a page. @throws Error with a sentence for people if it is none, or no WebSocket's. */
export function parsePageAddress(text: string): ServerAddress {
  const server = parseServerAddress(text);
  if (!server.webSocket)
    throw new Error(
      `A page reaches a server by WebSocket only: write ws:// or wss:// in place of ${server.url}, with the port for pages (8080).`,
    );
  return server;
}

export function invitationLink(page: string, { server, run, task }: Invitation): string {
  const words = new URLSearchParams({
    [JOIN]: addressWithToken(server),
    ...(task !== null && { task }),
    ...(run !== null && { run }),
  });
  const link = new URL(page);
  link.search = '';
  // A fragment may hold these characters, which keep the link readable and its picture small.
  link.hash = words.toString().replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%40', '@');
  return link.href;
}

const LOCAL_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** True if an address leads each person to their own machine. */
export function isLocalAddress(url: string): boolean {
  return LOCAL_HOST.test(new URL(url.replace(/^\w+:/, 'http:')).hostname);
}
