/** The bounds of a server's answers to the library that searches and sends. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MOST_JSON_BYTES } from '@rl-playground/engine/parts';
import { Secret } from '@rl-playground/base/secret';
import { expect, test } from 'vitest';
import { findRepository } from './pushFiles.ts';

test('no more than a list may have is read of a server that never ends', async () => {
  let sent = 0;
  const bytes = Buffer.alloc(2 ** 16, ' ');
  const server = createServer((_, response) => {
    const more = (): void => {
      while (!response.destroyed) {
        sent += bytes.length;
        if (!response.write(bytes)) return void response.once('drain', more);
      }
    };
    response.writeHead(200);
    more();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(
    findRepository({ repo: 'me/x', isPrivate: true, secret: new Secret('hf_x', url), hubUrl: url }, {}),
  ).rejects.toThrow(/me\/x: the server sent more than 8,388,608 bytes/);
  expect(sent).toBeLessThan(MOST_JSON_BYTES + 32 * 2 ** 20);
  server.close();
});
