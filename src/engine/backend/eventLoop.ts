/** Giving the event loop a turn without the 4 ms that nested timers cost. */
const channel = new MessageChannel();
const waiting: (() => void)[] = [];

/** Milliseconds of work between two turns: half a frame, so that a frame comes late at most by one kernel and this. */
const SLICE = 8;
/** When the last turn was over, by `performance.now`. */
let turned = 0;

/** In Node an open port keeps the process alive: it must while somebody waits, and must not afterwards. */
const port: MessagePort & { ref?: () => void; unref?: () => void } = channel.port1;
port.onmessage = () => {
  turned = performance.now();
  waiting.shift()?.();
  if (waiting.length === 0) port.unref?.();
};
port.unref?.();

/** Gives the event loop a turn, at once or if one is due. */
export type Breathe = () => Promise<void>;

/** Resolves in a later task, after input, messages and painting had their chance. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    port.ref?.();
    channel.port2.postMessage(null);
  });
}

const AT_ONCE = Promise.resolve();

/** `breathe` where the work since the last turn has taken its slice of time: for between any two kernels. */
export function breatheIfDue(): Promise<void> {
  return performance.now() - turned < SLICE ? AT_ONCE : breathe();
}
