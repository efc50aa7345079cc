/** The worker in which a tokenizer and a template are tried, so that it can be ended. */
import { messageOf } from '../../base/errors.ts';
import { ModelFileError } from '../types.ts';
import { trialSteps, type TriedFiles } from './steps.ts';

export type TrialMessage =
  | { readonly kind: 'step'; readonly what: string; readonly milliseconds: number }
  | { readonly kind: 'sound' }
  | { readonly kind: 'refused'; readonly message: string; readonly forUser: boolean };

const send = (message: TrialMessage): void => self.postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<TriedFiles>) => {
  try {
    for (const { what, milliseconds, run } of trialSteps(data)) {
      send({ kind: 'step', what, milliseconds });
      run();
    }
    send({ kind: 'sound' });
  } catch (error) {
    send({ kind: 'refused', message: messageOf(error), forUser: error instanceof ModelFileError });
  }
});
