/** A server that speaks TLS, over a real nats-server: what a program does that does not trust it, and one that asks for TLS where there is none. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket, type RawData } from 'ws';
import type { ServerAddress } from '@rl-playground/machines';
import { connectInNode } from '@rl-playground/machines/node';
import { lacksServer, startLocalServer, type LocalServer } from './testing/localServer.ts';
import { testCertificate, type TestCertificate } from '@rl-playground/machines/testing/testCertificate';
import { openBridge } from './webSocketBridge.ts';

const folder = mkdtempSync(join(tmpdir(), 'tls-'));
const made = testCertificate(folder);
if (made === null) console.log('Left out: tests of TLS, for want of openssl on this machine.');

/** Resolves to the first message of a server. */
const firstWords = (socket: WebSocket): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once('message', (data: RawData) => resolve((data as Buffer).toString()));
    socket.once('close', () => reject(new Error('closed')));
    socket.once('error', reject);
  });

describe.skipIf(lacksServer() || made === null)('a server that speaks TLS', () => {
  const certificate = made as TestCertificate;
  let [secured, plain]: LocalServer[] = [];
  const at = (server: LocalServer | undefined, scheme: string): ServerAddress => {
    if (server === undefined) throw new Error('The server has not started.');
    return { ...server.address, url: `${scheme}://127.0.0.1:${server.port}` };
  };

  beforeAll(async () => {
    secured = await startLocalServer({ webSocketPort: 0, tls: certificate });
    plain = await startLocalServer();
  });

  afterAll(async () => {
    for (const server of [secured, plain]) await server?.close();
    rmSync(folder, { recursive: true });
  });

  test('and whose certificate nobody vouches for is refused in a sentence', async () => {
    for (const scheme of ['tls', 'nats']) {
      const failure = connectInNode(at(secured, scheme), 'looking');
      await expect(failure).rejects.toThrow(
        /certificate of the server at .* is not trusted: .*NODE_EXTRA_CA_CERTS/,
      );
    }
  });

  test('is asked for by tls://: a server without it gets no token', async () => {
    const failure = connectInNode(at(plain, 'tls'), 'looking');
    await expect(failure).rejects.toThrow(/does not support 'tls'/);
  });

  test('takes pages by wss:// on its other port', async () => {
    const socket = new WebSocket(`wss://localhost:${secured?.webSocketPort}`, {
      ca: readFileSync(certificate.cert),
    });
    expect(await firstWords(socket)).toMatch(/^INFO /);
    socket.terminate();
  });

  test('is not bridged to where it is not trusted, and neither is one without TLS behind tls://', async () => {
    const host = createServer();
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const first = async (address: ServerAddress): Promise<string> => {
      const bridge = openBridge(address, { url, server: host });
      const socket = new WebSocket(bridge.address);
      return firstWords(socket).finally(() => bridge.close());
    };
    await expect(first(at(plain, 'nats'))).resolves.toMatch(/^INFO /);
    await expect(first(at(plain, 'tls'))).rejects.toThrow('closed');
    await expect(first(at(secured, 'nats'))).rejects.toThrow('closed');
    host.close();
  });
});
