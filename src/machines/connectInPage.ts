/** A connection to a NATS server by WebSocket, for pages. */
import { wsconnect, type WsConnectionOptions } from '@nats-io/nats-core';
import { connectionError, connectionOptions, type Connect } from './connection.ts';
import { isLocalAddress } from './invitation.ts';
import { provideDigest } from './pageDigest.ts';

/** @throws Error with a sentence for people if the page may not use this address, no server answers there or the token is wrong. */
export const connectInPage: Connect = async (address, name) => {
  if (location.protocol === 'https:' && mixesContent(address.url))
    throw new Error(
      `This page came by https, and from such a page a browser opens wss:// only, not ${address.url}. Give the server a certificate (npx rl-playground hub --cert FILE --key FILE) and write wss://, or open the page by http.`,
    );
  await provideDigest();
  try {
    return await wsconnect({ ...connectionOptions(address, name), wsFactory: openSocket });
  } catch (error) {
    throw connectionError(address, error);
  }
};

/** A WebSocket that closes with a code. nats-server answers a close without a code by a frame that browsers complain about in their console. */
class CodedSocket extends WebSocket {
  override close(): void {
    super.close(1000);
  }
}

const openSocket: NonNullable<WsConnectionOptions['wsFactory']> = (url) =>
  Promise.resolve({ socket: new CodedSocket(url), encrypted: url.startsWith('wss:') });

/** True if a page by https would use an insecure address. A browser regards a server of its own machine as safe. */
function mixesContent(url: string): boolean {
  return url.startsWith('ws:') && !isLocalAddress(url);
}
