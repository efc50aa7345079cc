/** A TCP proxy that imitates a slow network: every chunk takes its time each way, and some are held as long as a retransmission takes. */
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawsFor } from '@rl-playground/base/random';

export interface Network {
  /** The milliseconds each way. */
  readonly delay: number;
  /** The share of the chunks that are held, and for how many milliseconds more. Later chunks wait for a held one, as under TCP. */
  readonly heldShare: number;
  readonly held: number;
  /** The seed that decides which chunks are held. */
  readonly seed: number;
}

export interface DelayProxy {
  readonly port: number;
  /** The bytes so far: from the programs that connect, and to them. */
  readonly bytes: { readonly up: number; readonly down: number };
  close(): Promise<void>;
}

/** The clock of the proxy. */
export interface ProxyClock {
  /** Returns the time in milliseconds. */
  readonly now: () => number;
  /** Resolves so many milliseconds later. */
  readonly after: (milliseconds: number) => Promise<unknown>;
}

const CLOCK: ProxyClock = { now: () => performance.now(), after: (milliseconds) => sleep(milliseconds) };

/** Passes chunks on in order, each when its time is over. */
function passOn(
  from: Socket,
  to: Socket,
  delayOf: () => number,
  count: (bytes: number) => void,
  { now, after }: ProxyClock,
): void {
  let free = 0;
  // One after the other: timers of different lengths may end in another order.
  let before: Promise<void> = Promise.resolve();
  const next = (work: () => void): void => {
    const due = free;
    before = before.then(() => after(Math.max(0, due - now()))).then(work);
  };
  from.on('data', (chunk) => {
    count(chunk.length);
    free = Math.max(free, now() + delayOf());
    next(() => void (to.destroyed || to.write(chunk)));
  });
  from.on('end', () => next(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => next(() => to.destroySoon()));
}

/** Listens on a port of its own for connections that go to `port` of this machine. */
export async function startDelayProxy(
  port: number,
  { delay, heldShare, held, seed }: Network,
  clock = CLOCK,
): Promise<DelayProxy> {
  const sockets = new Set<Socket>();
  const bytes = { up: 0, down: 0 };
  const draw = drawsFor(seed);
  const delayOf = (): number => delay + (draw() < heldShare ? held : 0);
  const server = createServer({ allowHalfOpen: true }, (outside) => {
    const inside = createConnection({ host: '127.0.0.1', port, allowHalfOpen: true });
    for (const socket of [outside, inside]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    passOn(outside, inside, delayOf, (count) => (bytes.up += count), clock);
    passOn(inside, outside, delayOf, (count) => (bytes.down += count), clock);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    bytes,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The proxy in a process of its own, for `npm run lab -- machines`: it must not wait for a trainer. Told over Node's channel what to be; answers each message with the bytes so far. */
export default (): Promise<number> =>
  new Promise((resolve) => {
    process.once('disconnect', () => resolve(0));
    process.once('message', ({ port, network }: { readonly port: number; readonly network: Network }) => {
      void startDelayProxy(port, network).then((proxy) => {
        process.on('message', () => process.send?.({ bytes: proxy.bytes }));
        process.once('disconnect', () => void proxy.close());
        process.send?.({ port: proxy.port });
      });
    });
  });
