import { createHash } from 'node:crypto';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startDelayProxy } from './delayProxy.ts';

test('a slow network passes on everything in order, each way no sooner than it says', async () => {
  // Sends back what it gets.
  const echo = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const { port } = echo.address() as AddressInfo;
  // A clock that stands: what waits, waits for its whole time, and none for less than the one before it.
  const waits: number[] = [];
  const clock = { now: () => 0, after: (wait: number) => Promise.resolve(void waits.push(wait)) };
  const proxy = await startDelayProxy(port, { delay: 5, heldShare: 0.3, held: 30, seed: 7 }, clock);
  const parts = Array.from({ length: 100 }, (_, i) => Buffer.alloc(1000 + 37 * i, i));
  const sent = Buffer.concat(parts);
  const socket = createConnection({ host: '127.0.0.1', port: proxy.port });
  const back: Buffer[] = [];
  socket.on('data', (data: Buffer) => void back.push(data));
  const ended = new Promise((resolve) => socket.once('end', resolve));
  for (const part of parts) await new Promise<void>((resolve) => socket.write(part, () => resolve()));
  socket.end();
  await ended;
  const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  expect(sum(Buffer.concat(back))).toBe(sum(sent));
  expect(waits.filter((wait) => wait !== 5 && wait !== 35)).toEqual([]);
  // The first chunk each way, and its end behind it.
  expect(waits.length).toBeGreaterThanOrEqual(4);
  expect(proxy.bytes).toEqual({ up: sent.length, down: sent.length });
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});
