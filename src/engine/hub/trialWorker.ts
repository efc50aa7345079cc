/** The worker in which a tokenizer and a template are tried, so that it can be ended. */
import { messageOf } from '@rl-playground/base/errors';
import { ModelFileError } from './types.ts';
import { trialSteps, type TrialLimits, type TriedFiles } from './trialSteps.ts';

export interface TrialRequest {
  readonly files: TriedFiles;
  readonly limits: TrialLimits;
}

export type TrialMessage =
  | { readonly kind: 'step'; readonly what: string; readonly milliseconds: number }
  | { readonly kind: 'sound' }
  | { readonly kind: 'refused'; readonly message: string; readonly forUser: boolean };

const send = (message: TrialMessage): void => self.postMessage(message);

self.addEventListener('message', ({ data: { files, limits } }: MessageEvent<TrialRequest>) => {
  try {
    for (const { what, milliseconds, run } of trialSteps(files, limits)) {
      send({ kind: 'step', what, milliseconds });
      run();
    }
    send({ kind: 'sound' });
  } catch (error) {
    send({ kind: 'refused', message: messageOf(error), forUser: error instanceof ModelFileError });
  }
});
