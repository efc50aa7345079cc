/** A dataset that can't be had or read. The message is written for the user. */
export class DatasetError extends Error {
  override readonly name: string = 'DatasetError';
}
