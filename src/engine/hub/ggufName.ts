/** The name of a GGUF file that is a model by itself, in a folder that is made here. */
export const GGUF_FILE = 'model.gguf';

/**
 * True for the name of a GGUF file, without folders: a server names it, and it becomes a file of this machine. Such a name has no
 * characters with which a path could climb.
 */
export const isGgufName = (name: string): boolean => /^\w[\w.+() -]*\.gguf$/i.test(name);

/** The name of a GGUF file at the end of a URL; null if the URL names none. */
export function ggufNameOf(url: string): string | null {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const name = last.replaceAll('%20', ' ').replaceAll(/%2b/gi, '+');
  return isGgufName(name) ? name : null;
}
