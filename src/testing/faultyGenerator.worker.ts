/** A generator that goes wrong on the way: its name says how and at what. It says `alive` with the mark `fault` before. */
import '../rollout/worker.ts';
import type { FaultName } from './faultyWorkers.ts';

const [fault, at] = self.name.split(' ') as [FaultName, string];
const post = globalThis.postMessage.bind(globalThis) as (message: unknown) => void;
const receive = globalThis.onmessage;
/** So that a round of work has ended before, and there is weight of a first hand-over. */
let seen = 0;
let mute = false;

function goWrong(): void {
  post({ type: 'alive', fault: true });
  switch (fault) {
    case 'hangs':
      for (;;);
    case 'closes':
      globalThis.close();
      mute = true;
      return;
    case 'drops':
      mute = true;
      return;
    case 'throws':
      mute = true;
      setTimeout(() => {
        throw new RangeError('Array buffer allocation failed');
      });
  }
}

globalThis.postMessage = (message: { type: string }) => {
  if (mute) return;
  post(message);
  if (message.type === at && ++seen === 2) goWrong();
};

globalThis.onmessage = (event: MessageEvent<{ type: string }>) => {
  if (event.data.type === at && ++seen === 2) goWrong();
  else receive?.call(globalThis as unknown as WindowEventHandlers & Window, event);
};
