/** A model file that is missing, broken or not what this project can use. The message is written for the user. */
export class ModelFileError extends Error {
  override readonly name: string = 'ModelFileError';
}
