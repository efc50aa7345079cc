/**
 * A bridge from a page to a NATS server that it can't reach by itself: a WebSocket of the page's own host, which its policy allows, whose
 * bytes are passed on by TCP, with TLS if the server asks for it. The protocol is the same on both sides, so only the server's first line
 * is read and changed, which says whether TLS is next. A page that is reloaded and a server that is started again connect anew, so
 * nothing is kept.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createConnection, isIP, type Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { connect as connectByTls } from 'node:tls';
import { createWebSocketStream, WebSocketServer, type WebSocket } from 'ws';
import { addressWithToken, type ServerAddress } from '@rl-playground/machines';
import { connectInNode } from '@rl-playground/machines/node';
import type { PageHost } from './serve.ts';

export interface Bridge {
  readonly address: string;
  close(): void;
}

/**
 * Opens a bridge from the page that a program drives to the program's server.
 *
 * @throws Error with a sentence for people if no server answers or the token is wrong. It is found by the server's own address, which
 * says more than the bridge's.
 */
export async function bridgeTo(
  address: ServerAddress,
  host: Pick<PageHost, 'url' | 'server'>,
): Promise<Bridge> {
  await (await connectInNode(address, 'trainer')).close();
  return openBridge(address, host);
}

export function openBridge(
  address: ServerAddress,
  { url, server }: { readonly url: string; readonly server: Pick<PageHost['server'], 'on' | 'off'> },
): Bridge {
  const { hostname, port } = new URL(address.url.replace(/^\w+:/, 'http:'));
  const there: Destination = {
    host: hostname,
    port: Number(port === '' ? 80 : port),
    secure: address.url.startsWith('tls:'),
  };
  // Other pages of this machine must not find it.
  const path = `/${randomBytes(16).toString('hex')}`;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 2 ** 20, perMessageDeflate: false });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (request.url?.split('?')[0] !== path) return;
    sockets.handleUpgrade(request, socket, head, (page) => join(page, there));
  };
  server.on('upgrade', upgrade);
  const own = new URL(url);
  return {
    address: addressWithToken({ url: `ws://${own.host}${path}`, token: address.token }),
    close() {
      server.off('upgrade', upgrade);
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}

interface Destination {
  readonly host: string;
  readonly port: number;
  /** True if TLS is required; otherwise it is used if the server asks for it. */
  readonly secure: boolean;
}

function join(page: WebSocket, destination: Destination): void {
  const socket = createConnection(destination).setNoDelay(true);
  page.on('close', () => socket.destroy());
  page.on('error', () => socket.destroy());
  socket.on('close', () => page.close());
  socket.on('error', () => page.close());
  let begun = Buffer.alloc(0);
  const greeted = (bytes: Buffer): void => {
    begun = Buffer.concat([begun, bytes]);
    const end = begun.indexOf('\r\n');
    if (end < 0 && begun.length < LONGEST_LINE) return;
    socket.off('data', greeted);
    const asked = tlsOf(begun.toString('utf8', 0, Math.max(0, end)));
    if (asked === null || (destination.secure && !asked.offered)) socket.destroy();
    else if (destination.secure || asked.required) {
      const { host } = destination;
      // The page's end of the line has no TLS.
      const plain = Buffer.from(
        `INFO ${JSON.stringify({ ...asked.info, tls_required: false, tls_available: false })}\r\n`,
      );
      const secured = connectByTls({ socket, host, ...(isIP(host) === 0 && { servername: host }) });
      secured.on('error', () => page.close());
      secured.once('secureConnect', () => pipe(page, secured, plain));
    } else pipe(page, socket, begun);
  };
  socket.on('data', greeted);
}

const LONGEST_LINE = 2 ** 20;

/** The server's first line on TLS; null if it is none of NATS. */
function tlsOf(line: string): { info: object; required: boolean; offered: boolean } | null {
  try {
    const info: unknown = JSON.parse(line.replace(/^INFO /, ''));
    if (typeof info !== 'object' || info === null) return null;
    const says = (name: string): boolean => Reflect.get(info, name) === true;
    const required = says('tls_required');
    return { info, required, offered: required || says('tls_available') };
  } catch {
    return null;
  }
}

/** `greeting` is sent to the page first. */
function pipe(page: WebSocket, there: Socket, greeting: Buffer): void {
  const stream = createWebSocketStream(page);
  stream.write(greeting);
  // Either end that breaks or closes ends the other.
  pipeline(there, stream, there, () => undefined);
}
