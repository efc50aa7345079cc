/** A generator that fails at the second message of a kind. Its first message says how, and it sends `alive` with the mark `fault` right before. */
import '../rollout/worker.ts';
import type { Fault } from './faults.ts';

const post = globalThis.postMessage.bind(globalThis) as (message: unknown) => void;
const receive = globalThis.onmessage;
let fault: Fault | null = null;
let seen = 0;
let mute = false;

function goWrong(how: Fault['how']): void {
  post({ type: 'alive', fault: true });
  mute = true;
  switch (how) {
    case 'hangs':
      for (;;);
    case 'closes':
      return globalThis.close();
    case 'throws':
      setTimeout(() => {
        throw new RangeError('Array buffer allocation failed');
      });
      return;
    case 'drops':
  }
}

globalThis.postMessage = (message: { type: string }) => {
  if (mute) return;
  post(message);
  if (fault && message.type === fault.at && ++seen === 2) goWrong(fault.how);
};

globalThis.onmessage = (event: MessageEvent<Fault | { type: string }>) => {
  if ('how' in event.data) fault = event.data;
  else if (fault && event.data.type === fault.at && ++seen === 2) goWrong(fault.how);
  else receive?.call(globalThis as unknown as WindowEventHandlers & Window, event);
};
