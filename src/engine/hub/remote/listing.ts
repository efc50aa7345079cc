/** Looks up repositories of the Hub before anything of them is fetched: the commit of a revision, and the files with their sizes and hashes. */
import { z } from 'zod';
import { messageOf } from '@rl-playground/base/errors';
import { ModelFileError } from '../types.ts';
import type { HubAddress } from './modelAddress.ts';
import type { AllowServer } from './namedServers.ts';
import type { RemoteFile } from './remoteFile.ts';
import { bodyOf, MOST_JSON_BYTES } from './answerBody.ts';
import { ask, withRetries, type Asking } from './request.ts';

export const HUB_URL = 'https://huggingface.co';

export interface FindOptions extends Asking {
  /** Another server that uses the Hub's paths. */
  readonly hubUrl?: string;
  /** Asks for permission before a server is used that only a file names. Without it no such server is used. */
  readonly allow?: AllowServer;
}

const treeSchema = z.array(
  z.looseObject({
    type: z.string(),
    path: z.string(),
    size: z.number().int().nonnegative(),
    lfs: z.looseObject({ oid: z.string(), size: z.number().int().nonnegative().optional() }).nullish(),
  }),
);
const infoSchema = z.looseObject({
  sha: z.string().nullish(),
  gguf: z.looseObject({ total: z.number().positive() }).nullish().catch(null),
});

export interface Listing {
  /** The commit; null if the server names none. */
  readonly commit: string | null;
  /** The server; null for the Hugging Face Hub itself. */
  readonly hubUrl: string | null;
  readonly files: readonly RemoteFile[];
  /** The number of weights that the server states for the repository's GGUF files; null if it states none. */
  readonly weights: number | null;
}

/** The most pages of a listing that are asked for; on the Hub a page has 1,000 files. */
const MOST_PAGES = 20;

/**
 * Looks up the commit, then the files: those of the top folder of a model, or with `recursive` of all folders, as of a dataset.
 *
 * @throws ModelFileError that says what to do, or the signal's reason.
 */
export async function listRepository(
  kind: 'model' | 'dataset',
  { repo, revision }: HubAddress,
  label: string,
  options: FindOptions,
  recursive = kind === 'dataset',
): Promise<Listing> {
  const hubUrl = (options.hubUrl ?? HUB_URL).replace(/\/+$/, '');
  const branch = encodeURIComponent(revision ?? 'main');
  const missing = `${label}: ${hubUrl} has no such ${kind}${revision === null ? '' : ` or revision "${revision}"`}. Names are org/name or org/name@revision, upper and lower case told apart.`;
  const api = `${hubUrl}/api/${kind}s/${repo}`;
  const info = await json(label, `${api}/revision/${branch}`, options, missing);
  const { sha, gguf } = infoSchema.safeParse(info.body).data ?? {};
  const commit = sha ?? null;
  const at = encodeURIComponent(commit ?? revision ?? 'main');
  const resolve = `${hubUrl}/${kind === 'dataset' ? 'datasets/' : ''}${repo}/resolve/${at}`;
  const files: RemoteFile[] = [];
  let page: string | null = `${api}/tree/${at}?recursive=${recursive}&expand=false`;
  for (let asked = 0; page !== null; asked++) {
    if (asked === MOST_PAGES)
      throw new ModelFileError(
        `${label}: its list of files has more than ${MOST_PAGES} pages (${files.length} files so far). Choose a smaller copy.`,
      );
    const answer: JsonAnswer = await json(label, page, options, missing);
    const entries = treeSchema.safeParse(answer.body);
    if (!entries.success)
      throw new ModelFileError(
        `${label}: ${page} gave no list of files. Is ${hubUrl} a server with the Hub's paths?`,
      );
    for (const { type, path, size, lfs } of entries.data)
      if (type === 'file')
        files.push({
          path,
          size: lfs?.size ?? size,
          sha256: lfs?.oid.replace(/^sha256:/, '') ?? null,
          url: `${resolve}/${path.split('/').map(encodeURIComponent).join('/')}`,
        });
    page = answer.next;
  }
  return { commit, hubUrl: hubUrl === HUB_URL ? null : hubUrl, files, weights: gguf?.total ?? null };
}

interface JsonAnswer {
  readonly body: unknown;
  /** The next page of a listing. */
  readonly next: string | null;
}

async function json(label: string, url: string, options: Asking, missing: string): Promise<JsonAnswer> {
  return withRetries(
    label,
    async () => {
      const response = await ask(label, url, { Accept: 'application/json' }, options);
      if (response === null) throw new ModelFileError(missing);
      const [, next = null] = /<([^>]+)>\s*;\s*rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
      const bytes = await bodyOf(response, `${label}: ${url}`, MOST_JSON_BYTES, options);
      try {
        return { body: JSON.parse(new TextDecoder().decode(bytes)) as unknown, next };
      } catch (error) {
        throw new ModelFileError(`${label}: ${url} answered with no JSON (${messageOf(error)}).`, {
          cause: error,
        });
      }
    },
    options,
  );
}
