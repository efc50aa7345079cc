import { createHash } from 'node:crypto';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startDelayProxy } from './delayProxy.ts';

test('a slow network passes on everything in order, each way no sooner than it says', async () => {
  // Sends back what it gets.
  const echo = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const { port } = echo.address() as AddressInfo;
  const proxy = await startDelayProxy(port, { delay: 5, heldShare: 0.3, held: 30, seed: 7 });
  const parts = Array.from({ length: 100 }, (_, i) => Buffer.alloc(1000 + 37 * i, i));
  const sent = Buffer.concat(parts);
  const socket = createConnection({ host: '127.0.0.1', port: proxy.port });
  const began = performance.now();
  let first = Infinity;
  const back: Buffer[] = [];
  socket.on('data', (data: Buffer) => {
    first = Math.min(first, performance.now() - began);
    back.push(data);
  });
  const ended = new Promise((resolve) => socket.once('end', resolve));
  for (const part of parts) await new Promise<void>((resolve) => socket.write(part, () => resolve()));
  socket.end();
  await ended;
  const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  expect(sum(Buffer.concat(back))).toBe(sum(sent));
  expect(first).toBeGreaterThanOrEqual(10);
  expect(proxy.bytes).toEqual({ up: sent.length, down: sent.length });
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});
