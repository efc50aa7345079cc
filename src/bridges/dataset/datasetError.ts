/** A dataset can't be fetched or read. The message is written for the user. */
export class DatasetError extends Error {
  override readonly name: string = 'DatasetError';
}
