/** A connection to a NATS server by WebSocket, for pages. */
import { wsconnect } from '@nats-io/nats-core';
import { connectionError, connectionOptions, type Connect } from './connection.ts';

/** @throws a sentence where no server answers or the token is wrong. */
export const connectInPage: Connect = async (address, name) => {
  try {
    return await wsconnect(connectionOptions(address, name));
  } catch (error) {
    throw connectionError(address, error);
  }
};
