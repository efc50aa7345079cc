/** A folder whose model is a GGUF file, as downloads of the Hub and checkpoints have it. */
import { isGgufName } from './ggufName.ts';
import type { ModelFiles } from './types.ts';

/**
 * The folder itself, or the model of its only GGUF file if it has no config.json.
 *
 * @throws ModelFileError where that file breaks the format, or holds a model that is not supported.
 */
export async function modelFolder(files: ModelFiles): Promise<ModelFiles> {
  const [name, ...others] = (files.names ?? []).filter(isGgufName);
  if (name === undefined || others.length > 0 || files.names?.includes('config.json') === true) return files;
  const file = await files.open(name);
  if (file === null) return files;
  const { ggufFolder } = await import('./ggufFolder.ts');
  const model = await ggufFolder(files.label, file);
  const { origin, checkedHash } = files;
  return {
    ...model,
    ...(files.name === undefined ? {} : { name: files.name }),
    ...(origin ? { origin } : {}),
    ...(checkedHash === undefined ? {} : { checkedHash }),
  };
}
