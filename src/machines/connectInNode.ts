/** A connection to a NATS server by TCP, for programs under Node. */
import { connect } from '@nats-io/transport-node';
import { connectionError, connectionOptions, type Connect } from './connection.ts';

/** @throws a sentence where no server answers or the token is wrong. */
export const connectInNode: Connect = async (address, name) => {
  if (address.webSocket)
    throw new Error(
      `Programs speak to a NATS server by TCP: write nats:// with its port for clients (4222) in place of ${address.url}.`,
    );
  try {
    return await connect(connectionOptions(address, name));
  } catch (error) {
    throw connectionError(address, error);
  }
};
