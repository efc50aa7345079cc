/**
 * The half of the Hub that takes files: repositories are made, files announced, large ones put in storage by Git LFS (those beyond
 * `PART_BYTES` in parts), and a commit names them all. Like the Hub it checks each time whether the token may write, and refuses an
 * object whose SHA-256 or size differs from the announced one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sha256 } from '@rl-playground/base/testing/sha256';

/** A model, or under `datasets/org/name` a dataset. */
export interface ServedModel {
  readonly commit: string;
  readonly files: Map<string, Uint8Array>;
  /** The token for the model. A request without a token gets 401, and one with another token 403. */
  readonly token?: string;
  /** The weights that the server states for GGUF files. */
  readonly ggufWeights?: number;
}

/** The owner of a token. */
export interface Account {
  /** The owner's name, and those of the owner's organizations. */
  readonly namespaces: readonly string[];
  readonly mayWrite: boolean;
}

/** Bytes that storage was sent. */
export interface StoredUpload {
  readonly oid: string;
  readonly bytes: number;
  readonly token: string | null;
}

export interface UploadState {
  /** The accounts by token. */
  readonly accounts: Map<string, Account>;
  readonly models: Map<string, ServedModel>;
  readonly uploads: StoredUpload[];
  isLarge(path: string): boolean;
  sendJson(response: ServerResponse, body: unknown): void;
  refuse(response: ServerResponse, status: number, error: string): void;
  storageUrl(): string;
  hubUrl(): string;
}

/** The largest body of one PUT. */
export const PART_BYTES = 1_000_000;

interface CommitLine {
  readonly key: 'header' | 'file' | 'lfsFile';
  readonly value: {
    readonly path: string;
    readonly content: string;
    readonly oid: string;
    readonly size: number;
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const jsonOf = async <T>(request: IncomingMessage): Promise<T> =>
  JSON.parse((await bodyOf(request)).toString()) as T;
const tokenOf = ({ headers }: IncomingMessage): string | null =>
  headers.authorization?.replace('Bearer ', '') ?? null;

export class HubUploads {
  readonly #state: UploadState;
  /** The objects in storage, by SHA-256. */
  readonly #objects = new Map<string, Buffer>();
  /** The parts of objects that have not arrived completely. */
  readonly #parts = new Map<string, Map<number, Buffer>>();

  constructor(state: UploadState) {
    this.#state = state;
  }

  /** Answers a POST to the Hub itself. */
  async onHub(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (path === '/api/repos/create') await this.#create(request, response);
    else if (path.startsWith('/lfs/complete/')) await this.#complete(request, response, path.slice(14));
    else {
      const [, apiName, work] =
        /^\/api\/models\/([\w.-]+\/[\w.-]+)\/(preupload|commit)\/main$/.exec(path) ?? [];
      const [, gitName] = /^\/([\w.-]+\/[\w.-]+?)\.git\/info\/lfs\/objects\/batch$/.exec(path) ?? [];
      const name = apiName ?? gitName ?? '';
      const refusal = this.#refusal(request, name);
      const model = this.#state.models.get(name);
      if (refusal !== null) this.#state.refuse(response, ...refusal);
      else if (model === undefined) this.#state.refuse(response, 404, 'Repository not found');
      else if (work === 'preupload') await this.#announce(request, response);
      else if (work === 'commit') await this.#commit(request, response, name, model);
      else await this.#batch(request, response);
    }
  }

  /** Takes an object, or a part of one. */
  async onStorage(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const bytes = await bodyOf(request);
    const oid = url.pathname.split('/').at(-1) ?? '';
    const part = url.searchParams.get('part');
    this.#state.uploads.push({ oid, bytes: bytes.length, token: tokenOf(request) });
    if (part !== null) {
      const parts = this.#parts.get(oid) ?? new Map<number, Buffer>();
      this.#parts.set(oid, parts.set(Number(part), bytes));
    } else if (sha256(bytes) === oid) this.#objects.set(oid, bytes);
    else return this.#state.refuse(response, 400, 'The SHA-256 is another one');
    response.setHeader('ETag', `"${sha256(bytes)}"`);
    this.#state.sendJson(response, {});
  }

  #refusal(request: IncomingMessage, name: string): [status: number, error: string] | null {
    const token = tokenOf(request);
    const account = token === null ? undefined : this.#state.accounts.get(token);
    if (account === undefined) return [401, 'Invalid username or password.'];
    const [organization = ''] = name.split('/');
    if (!account.mayWrite) return [403, 'This token has no write access.'];
    return account.namespaces.includes(organization)
      ? null
      : [403, `You don't have the rights to create a model under the namespace "${organization}".`];
  }

  async #create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await jsonOf<{ name: string; organization: string; visibility: string }>(request);
    const name = `${asked.organization}/${asked.name}`;
    const refusal = this.#refusal(request, name);
    const { models } = this.#state;
    if (refusal !== null) return this.#state.refuse(response, ...refusal);
    if (models.has(name)) return this.#state.refuse(response, 409, 'You already created this model repo');
    const token = tokenOf(request);
    const closed = asked.visibility === 'private' && token !== null ? { token } : {};
    models.set(name, { commit: sha256(Buffer.from(name)).slice(0, 40), files: new Map(), ...closed });
    this.#state.sendJson(response, {
      url: `${this.#state.hubUrl()}/${name}`,
      name,
      id: sha256(Buffer.from(name)),
    });
  }

  async #announce(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { files } = await jsonOf<{ files: readonly { readonly path: string }[] }>(request);
    const mode = (path: string) => (this.#state.isLarge(path) ? 'lfs' : 'regular');
    this.#state.sendJson(response, {
      files: files.map(({ path }) => ({ path, uploadMode: mode(path), shouldIgnore: false })),
    });
  }

  async #batch(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { objects } = await jsonOf<{ objects: readonly { oid: string; size: number }[] }>(request);
    this.#state.sendJson(response, {
      transfer: 'basic',
      objects: objects.map(({ oid, size }) => ({
        oid,
        size,
        ...(this.#objects.has(oid) ? {} : { actions: { upload: this.#upload(oid, size) } }),
      })),
    });
  }

  #upload(oid: string, size: number): { href: string; header?: Record<string, string> } {
    const href = `${this.#state.storageUrl()}/lfs/${oid}`;
    if (size <= PART_BYTES) return { href };
    const header: Record<string, string> = { chunk_size: `${PART_BYTES}` };
    for (let part = 1; part <= Math.ceil(size / PART_BYTES); part++)
      header[`${part}`.padStart(5, '0')] = `${href}?part=${part}`;
    return { href: `${this.#state.hubUrl()}/lfs/complete/${oid}`, header };
  }

  async #complete(request: IncomingMessage, response: ServerResponse, oid: string): Promise<void> {
    const { parts: named } = await jsonOf<{ parts: readonly { partNumber: number; etag: string }[] }>(
      request,
    );
    const parts = named.map(({ partNumber }) => this.#parts.get(oid)?.get(partNumber) ?? Buffer.alloc(0));
    const etagsFit = named.every(({ etag }, i) => etag === `"${sha256(parts[i] ?? Buffer.alloc(0))}"`);
    const bytes = Buffer.concat(parts);
    if (!etagsFit || sha256(bytes) !== oid)
      return this.#state.refuse(response, 400, 'These parts are not that object');
    this.#objects.set(oid, bytes);
    this.#parts.delete(oid);
    this.#state.sendJson(response, {});
  }

  async #commit(
    request: IncomingMessage,
    response: ServerResponse,
    name: string,
    model: ServedModel,
  ): Promise<void> {
    const body = await bodyOf(request);
    const lines = body
      .toString()
      .split('\n')
      .map((line) => JSON.parse(line) as CommitLine);
    const files = new Map(model.files);
    for (const { key, value } of lines) {
      const { path, content, oid, size } = value;
      if (key === 'file') files.set(path, Buffer.from(content, 'base64'));
      if (key !== 'lfsFile') continue;
      const bytes = this.#objects.get(oid);
      if (bytes?.length !== size) return this.#state.refuse(response, 400, `${path}: no such object`);
      files.set(path, bytes);
    }
    const commit = sha256(body).slice(0, 40);
    this.#state.models.set(name, { ...model, commit, files });
    const commitUrl = `${this.#state.hubUrl()}/${name}/commit/${commit}`;
    this.#state.sendJson(response, { success: true, commitOid: commit, commitUrl, hookOutput: '' });
  }
}
