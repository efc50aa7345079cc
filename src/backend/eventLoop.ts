/** Giving the event loop a turn without the 4 ms that nested timers cost. */
const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();
// In Node an open port would keep the process alive.
(channel.port1 as MessagePort & { unref?: () => void }).unref?.();

/** Resolves in a later task, after input, messages and painting had their chance. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}
