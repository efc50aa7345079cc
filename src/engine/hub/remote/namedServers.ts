/** Servers that a file names (a run directory, a checkpoint, an adapter, a settings file): nothing is asked of one before somebody has allowed it. */
import { ModelFileError } from '../types.ts';

/** Resolves where the server of an address may be asked. `namedBy`: the file, for people. @throws where nobody allows it */
export type AllowServer = (url: string, namedBy: string) => Promise<void>;

/**
 * Resolves where the server of `url` may be asked.
 * @throws ModelFileError without anybody to allow it, or what `allow` throws.
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
