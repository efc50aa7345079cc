/** Servers that a file names (a run directory, a checkpoint, an adapter, a settings file). Nothing is sent to one before somebody has allowed it. */
import { ModelFileError } from '../types.ts';

/** Resolves if the server of an address may be asked. `namedBy` is the file, for people. @throws Error if nobody allows it. */
export type AllowServer = (url: string, namedBy: string) => Promise<void>;

/**
 * Resolves if the server of `url` may be asked.
 *
 * @throws ModelFileError without an `allow`, and the error of `allow`.
 */
export async function mayAskNamed(
  url: string,
  namedBy: string,
  { allow }: { readonly allow?: AllowServer },
): Promise<void> {
  if (allow) return allow(url, namedBy);
  throw new ModelFileError(
    `${namedBy} names the server ${url}, which nobody has allowed. Nothing was asked of it.`,
  );
}
