/** A folder of a server of ours, as `npx rl-playground model` starts one for its page. */
import { z } from 'zod';
import { listedFiles } from '../sources.ts';
import { ModelFileError, type ModelFiles, type OpenFile } from '../types.ts';
import { bodyOf, bytesOf, MOST_JSON_BYTES } from './answerBody.ts';

const listingSchema = z.array(z.object({ name: z.string(), size: z.number().int().nonnegative() }));

/**
 * The files of a server that lists them with their sizes and answers ranges, as `src/cli/serveModel.ts` does. They are read from there,
 * and none is kept here.
 *
 * @throws ModelFileError if the server gives no list.
 */
export async function filesOnServer(label: string, address: string): Promise<ModelFiles> {
  const response = await fetch(address);
  const list = response.ok ? await bodyOf(response, label, MOST_JSON_BYTES, {}) : null;
  const listed = listingSchema.safeParse(list && JSON.parse(new TextDecoder().decode(list)));
  if (!listed.success)
    throw new ModelFileError(`${label}: ${address} answered ${response.status} and gave no list of files.`);
  const open = (name: string, size: number): OpenFile => ({
    size,
    read: (begin, end) => range(new URL(encodeURIComponent(name), address), begin, end, label),
  });
  return listedFiles(label, new Map(listed.data.map(({ name, size }) => [name, open(name, size)])));
}

async function range(url: URL, begin: number, end: number, label: string): Promise<Uint8Array> {
  if (begin === end) return new Uint8Array();
  const response = await fetch(url, { headers: { Range: `bytes=${begin}-${end - 1}` } });
  const bytes = await bytesOf(response, label, 0, end - begin + 1, {});
  if (response.status === 206 && bytes.byteLength === end - begin) return bytes;
  throw new ModelFileError(
    `${label}: the server answered ${response.status} with ${bytes.byteLength} bytes for bytes ${begin} to ${end} of ${url.pathname}; 206 with ${end - begin} is needed.`,
  );
}
