/**
 * A page's way to a NATS server that it can't reach by itself: a WebSocket of the page's own host, which its policy allows, whose bytes go on by TCP. The
 * protocol is the same on both, so nothing is read or changed; and since a page that is reloaded or a server that is started again
 * connects anew, nothing is kept either.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { addressWithToken, type ServerAddress } from '../src/machines/addresses.ts';
import { connectInNode } from '../src/machines/connectInNode.ts';
import type { PageHost } from './serve.ts';

export interface Bridge {
  /** For the page. */
  readonly address: string;
  close(): void;
}

/**
 * What the address that a program was given is to the page that it drives.
 * @throws a sentence where no server answers or the token is wrong: by its own address, which says more than the bridge's.
 */
export async function bridgeTo(
  address: ServerAddress,
  { url, server }: Pick<PageHost, 'url' | 'server'>,
): Promise<Bridge> {
  await (await connectInNode(address, 'trainer')).close();
  const { protocol, hostname, port } = new URL(address.url.replace(/^nats:/, 'http:'));
  if (protocol !== 'http:')
    throw new Error(
      'A run of the page joins without TLS: write nats://, and where that crosses a network that others read, forward the port with ssh -L.',
    );
  // Other pages of this machine must not find it.
  const path = `/${randomBytes(16).toString('hex')}`;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 2 ** 20, perMessageDeflate: false });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (request.url?.split('?')[0] !== path) return;
    sockets.handleUpgrade(request, socket, head, (page) =>
      join(page, hostname, Number(port === '' ? 80 : port)),
    );
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

function join(page: WebSocket, host: string, port: number): void {
  const there = createConnection({ host, port }).setNoDelay(true);
  page.on('message', (data: RawData) => {
    const bytes = Array.isArray(data)
      ? Buffer.concat(data)
      : data instanceof ArrayBuffer
        ? Buffer.from(data)
        : data;
    if (!there.write(bytes)) {
      page.pause();
      there.once('drain', () => page.resume());
    }
  });
  there.on('data', (bytes) => {
    page.send(bytes, (error) => error && there.destroy());
  });
  page.on('close', () => there.destroy());
  page.on('error', () => there.destroy());
  there.on('close', () => page.close());
  there.on('error', () => page.close());
}
