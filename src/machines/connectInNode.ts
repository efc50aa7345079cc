/** A connection to a NATS server by TCP, for programs under Node. */
import type { ConnectionOptions, TlsOptions } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import type { ServerAddress } from './addresses.ts';
import { connectionError, connectionOptions, type Connect } from './connection.ts';

/** @throws Error with a sentence for people if no server answers or the token is wrong. */
export const connectInNode: Connect = async (address, name) => {
  if (address.webSocket)
    throw new Error(
      `Programs speak to a NATS server by TCP: write nats:// with its port for clients (4222) in place of ${address.url}.`,
    );
  try {
    return await connect({ ...connectionOptions(address, name), ...tlsOf(address) });
  } catch (error) {
    throw connectionError(address, error);
  }
};

/**
 * The options of TLS. `tls://` goes no further if the server does not offer TLS, because the token would travel in the open. Elsewhere
 * TLS is used if the server asks for it.
 */
function tlsOf({ url }: ServerAddress): Pick<ConnectionOptions, 'tls'> {
  if (!url.startsWith('tls:')) return {};
  // Node compares a certificate with this name if the host is a number, for which the client gives none.
  const tls: TlsOptions & { host: string } = { host: new URL(url.replace(/^tls:/, 'http:')).hostname };
  return { tls };
}
