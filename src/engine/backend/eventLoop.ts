/** Gives the event loop a turn without the 4 ms that nested timers cost. */
const channel = new MessageChannel();
const waiting: (() => void)[] = [];

/** Milliseconds of work between two turns: half a frame, so that a frame comes late at most by one kernel and this. */
const SLICE = 8;
/** The end of the last turn, by `performance.now`. */
let turned = 0;

/** The port on which turns end. An open port keeps a Node process alive: it must while somebody waits, and must not afterwards. */
const port: MessagePort & { ref?: () => void; unref?: () => void } = channel.port1;
port.onmessage = () => {
  turned = performance.now();
  waiting.shift()?.();
  if (waiting.length === 0) port.unref?.();
};
port.unref?.();

/** Gives the event loop a turn, either at once or only if one is due. */
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

/** Gives the event loop a turn if the work since the last one has used up its slice of time. It may be called between any two kernels. */
export function breatheIfDue(): Promise<void> {
  return performance.now() - turned < SLICE ? AT_ONCE : breathe();
}
