import { ModelFileError } from '../../hub/errors.ts';

/** A checkpoint that can't be read. The message is written for a person. */
export class CheckpointError extends ModelFileError {
  override readonly name: string = 'CheckpointError';
}
