/** The common parts of the connections of Node and of a page, and their errors in words. */
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { TimeoutError, type ConnectionOptions, type NatsConnection } from '@nats-io/nats-core';
import { messageOf } from '@rl-playground/base/errors';
import type { ServerAddress } from './addresses.ts';
import { ANSWER_WITHIN } from './patience.ts';

/** Options of a connection that reconnects for ever: a server that is started again is found within a second. */
export function connectionOptions({ url, token }: ServerAddress, name: string): ConnectionOptions {
  return {
    servers: url,
    ...(token !== null && { token }),
    name,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    timeout: ANSWER_WITHIN,
    ignoreClusterUpdates: true,
  };
}

export type Connect = (address: ServerAddress, name: string) => Promise<NatsConnection>;

export const queuesOf = (connection: NatsConnection): JetStreamClient =>
  jetstream(connection, { timeout: ANSWER_WITHIN });

/** The interface that makes and deletes queues. @throws Error if the server has none. */
export const managerOf = (connection: NatsConnection): Promise<JetStreamManager> =>
  jetstreamManager(connection, { timeout: ANSWER_WITHIN });

/** Calls `told` each time that the server has gone away, and each time that it is there again, until the connection is closed. */
export async function watchServer(
  connection: NatsConnection,
  told: (isThere: boolean) => void,
): Promise<void> {
  for await (const { type } of connection.status())
    if (type === 'reconnect' || type === 'disconnect') told(type === 'reconnect');
}

/** True if the server gave no answer within the time limit. It may have been stopped for a moment, and is asked again. */
export const isSilence = (error: unknown): boolean =>
  error instanceof TimeoutError || /heartbeats missed/.test(messageOf(error));

/** Turns an error of `connect` into a sentence that says what to do. */
export function connectionError({ url, token }: ServerAddress, error: unknown): Error {
  const text = messageOf(error);
  if (/certificate|altnames|self.signed|issuer/i.test(text))
    return new Error(
      `The certificate of the server at ${url} is not trusted: ${text}. Under Node, NODE_EXTRA_CA_CERTS=FILE names one (PEM) to trust; it must be made out to the address that is written here.`,
      { cause: error },
    );
  const refused = /authorization|authentication/i.test(text) && !/timeout/i.test(text);
  return new Error(
    refused
      ? `The server at ${url} does not take this token. ${token === null ? 'The address has none: write it before the host, as in nats://TOKEN@host:4222.' : 'Copy the address once more from what npx rl-playground hub printed.'}`
      : `There is no NATS server at ${url}: ${text}. Start one with npx rl-playground hub on that machine, and look whether its firewall lets the port through.`,
    { cause: error },
  );
}

/** The connection broke, or the server lacks or refuses something. The machine that met the trouble is not at fault. */
export class ServerTrouble extends Error {
  override readonly name = 'ServerTrouble';
}

/** Turns any error of a call to the server into ServerTrouble with words for people. */
export const serverTrouble = (error: unknown): ServerTrouble =>
  new ServerTrouble(serverError(error).message, { cause: error });

/** Turns an error of JetStream into words for people. */
export function serverError(error: unknown): Error {
  // This error already has words for people.
  if (error instanceof ServerTrouble) return error;
  const text = messageOf(error);
  if (/jetstream not enabled|no responders/i.test(text))
    return new Error(
      'The NATS server has no JetStream, which keeps the requests and the weights: start it with npx rl-playground hub, or with jetstream {} in its configuration.',
      { cause: error },
    );
  if (/insufficient|maximum bytes|resource|no space/i.test(text))
    return new Error(
      `The store of the NATS server is full (${text}): give it more room (npx rl-playground hub --store-limit), or delete the streams of runs that are over.`,
      { cause: error },
    );
  if (/maximum payload|max_payload/i.test(text))
    return new Error(
      `The NATS server takes only smaller messages (${text}): set max_payload to 8 MB in its configuration, as npx rl-playground hub does, or ask for shorter or fewer answers.`,
      { cause: error },
    );
  return error instanceof Error ? error : new Error(text);
}
