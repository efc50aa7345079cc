import { ModelFileError } from '@rl-playground/engine/parts';

/** A run that can't be handed over. The message is written for the user. */
export class HandoffError extends ModelFileError {
  override readonly name: string = 'HandoffError';
}
