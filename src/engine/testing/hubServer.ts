/**
 * A server that uses the Hugging Face Hub's paths, for tests under Node and of the page: commits, listings in pages, ranges, redirects of
 * large files to a second origin, gated models, uploads (`hubUploads.ts`), and faults of servers on demand.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { HubUploads, type Account, type ServedModel, type StoredUpload } from './hubUploads.ts';
import { sha256 } from '@rl-playground/base/testing/sha256';

/** A fault of the next requests for a path, in place of a good answer. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  /** The connection ends after so many bytes of the body. */
  | { readonly kind: 'truncate'; readonly after: number }
  /** The body stops after so many bytes, and the connection stays open. */
  | { readonly kind: 'stall'; readonly after: number }
  /** The rest of the body after so many bytes comes once `until` has resolved; only for the range that begins at `from`, if it is given. */
  | { readonly kind: 'hold'; readonly after: number; readonly from?: number; readonly until: Promise<void> }
  /** The file has another etag, as from another copy of it. */
  | { readonly kind: 'etag'; readonly etag: string };

/** A request for a file's bytes that was answered. */
export interface ServedRange {
  readonly path: string;
  readonly begin: number;
  /** The offset after the last byte. */
  readonly end: number;
  readonly token: string | null;
  readonly origin: 'hub' | 'storage';
}

export interface HubServer {
  readonly url: string;
  /** The address of large files. */
  readonly storageUrl: string;
  readonly models: Map<string, ServedModel>;
  readonly ranges: ServedRange[];
  /** The accounts that may upload files, by token. */
  readonly accounts: Map<string, Account>;
  readonly uploads: StoredUpload[];
  /** Makes the next `times` requests whose path ends in `path` fail. */
  fail(path: string, fault: Fault, times?: number): void;
  /** The number of faults that still wait for requests whose path ends in `path`. */
  faultsLeft(path: string): number;
  close(): Promise<void>;
}

const hashes = new WeakMap<Uint8Array, string>();

function hash(bytes: Uint8Array): string {
  const known = hashes.get(bytes) ?? sha256(bytes);
  hashes.set(bytes, known);
  return known;
}

/** True for files that most models' `.gitattributes` name as large. */
const isLarge = (path: string): boolean => /\.(safetensors|parquet|gguf)$|^tokenizer\.json$/.test(path);
/** Entries of one page of a listing. */
const PAGE = 3;

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, PUT',
  'Access-Control-Allow-Headers': 'authorization, range, if-range, accept, content-type, x-request-id',
  'Access-Control-Expose-Headers':
    'ETag, Link, Content-Range, Accept-Ranges, X-Repo-Commit, X-Linked-Size, X-Linked-ETag, X-Xet-Hash',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no address.');
  return `http://127.0.0.1:${address.port}`;
}

export async function startHub(models: Readonly<Record<string, ServedModel>>): Promise<HubServer> {
  const served = new Map(Object.entries(models));
  const ranges: ServedRange[] = [];
  const faults: { path: string; fault: Fault; times: number }[] = [];

  const meant = (fault: Fault, begin: number): boolean =>
    fault.kind !== 'hold' || fault.from === undefined || fault.from === begin;
  const takeFault = (path: string, begin = 0): Fault | null => {
    const found = faults.find(
      (each) => each.times > 0 && path.endsWith(each.path) && meant(each.fault, begin),
    );
    if (found === undefined) return null;
    found.times--;
    return found.fault;
  };

  async function sendBytes(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    bytes: Uint8Array,
    origin: ServedRange['origin'],
    commit: string,
  ): Promise<void> {
    const fault = takeFault(path, Number(/^bytes=(\d+)/.exec(request.headers.range ?? '')?.[1] ?? 0));
    if (fault?.kind === 'status') {
      const headers = fault.retryAfter === undefined ? {} : { 'Retry-After': fault.retryAfter };
      response.writeHead(fault.status, { ...CORS, ...headers }).end();
      return;
    }
    const etag = fault?.kind === 'etag' ? fault.etag : `"${hash(bytes)}"`;
    const condition = request.headers['if-range'];
    const asked = condition === undefined || condition === etag ? request.headers.range : undefined;
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(asked ?? '') ?? [];
    const part = first !== undefined;
    const begin = Number(first ?? 0);
    const end = Math.min(last === undefined || last === '' ? bytes.length : Number(last) + 1, bytes.length);
    if (part && begin >= end && bytes.length > 0) {
      response.writeHead(416, { ...CORS, 'Content-Range': `bytes */${bytes.length}` }).end();
      return;
    }
    ranges.push({
      path,
      begin,
      end,
      token: request.headers.authorization?.replace('Bearer ', '') ?? null,
      origin,
    });
    response.writeHead(part ? 206 : 200, {
      ...CORS,
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Content-Type': 'application/octet-stream',
      'Content-Length': end - begin,
      'X-Repo-Commit': commit,
      ...(part ? { 'Content-Range': `bytes ${begin}-${end - 1}/${bytes.length}` } : {}),
    });
    const body = bytes.subarray(begin, end);
    if (fault?.kind !== 'truncate' && fault?.kind !== 'stall' && fault?.kind !== 'hold') {
      response.end(body);
      return;
    }
    await new Promise<void>((resolve) => response.write(body.subarray(0, fault.after), () => resolve()));
    if (fault.kind === 'truncate') response.destroy();
    if (fault.kind !== 'hold') return;
    await fault.until;
    response.end(body.subarray(fault.after));
  }

  const refuse = (response: ServerResponse, status: number, error: string): void => {
    response
      .writeHead(status, { ...CORS, 'Content-Type': 'application/json' })
      .end(JSON.stringify({ error }));
  };

  /** Returns the model of a request, or null after refusing it. */
  function allowed(request: IncomingMessage, response: ServerResponse, name: string): ServedModel | null {
    const model = served.get(name);
    const token = request.headers.authorization?.replace('Bearer ', '');
    if (model === undefined) refuse(response, token === undefined ? 401 : 404, 'Repository not found');
    else if (model.token !== undefined && token === undefined) refuse(response, 401, 'Access is restricted');
    else if (model.token !== undefined && token !== model.token) refuse(response, 403, 'Access is gated');
    else return model;
    return null;
  }

  const sendJson = (response: ServerResponse, body: unknown, link?: string): void => {
    const headers = { ...CORS, 'Content-Type': 'application/json', ...(link ? { Link: link } : {}) };
    response.writeHead(200, headers).end(JSON.stringify(body));
  };

  const uploads: StoredUpload[] = [];
  const accounts = new Map<string, Account>();
  const taker = new HubUploads({
    accounts,
    models: served,
    uploads,
    isLarge,
    sendJson,
    refuse,
    hubUrl: () => addressOf(hub),
    storageUrl: () => storageUrl,
  });
  /** True if a fault took the request: it is refused, or never answered. */
  const failed = (response: ServerResponse, path: string): boolean => {
    const fault = takeFault(path);
    if (fault?.kind === 'status') refuse(response, fault.status, 'busy');
    return fault?.kind === 'status' || fault?.kind === 'stall';
  };

  const storage = await listen((request, response) => {
    if (request.method === 'PUT') {
      const url = new URL(request.url ?? '/', 'http://storage');
      if (!failed(response, url.pathname)) void taker.onStorage(request, response, url);
      return;
    }
    const [, name = '', path = ''] =
      /^\/((?:datasets\/)?[\w.-]+\/[\w.-]+)\/(.+)$/.exec(decodeURIComponent(request.url ?? '')) ?? [];
    const model = served.get(name);
    const bytes = model?.files.get(path);
    if (request.method === 'OPTIONS') response.writeHead(204, CORS).end();
    else if (model === undefined || bytes === undefined) response.writeHead(404, CORS).end();
    else void sendBytes(request, response, path, bytes, 'storage', model.commit);
  });
  const storageUrl = addressOf(storage);

  const hub = await listen((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hub');
    const path = decodeURIComponent(url.pathname);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, CORS).end();
      return;
    }
    if (request.method === 'POST') {
      if (!failed(response, path)) void taker.onHub(request, response, path);
      return;
    }
    if (path === '/api/models') {
      const wanted = url.searchParams.get('search') ?? '';
      const names = [...served.keys()].filter(
        (name) => name.includes(wanted) && !name.startsWith('datasets/'),
      );
      const facts = { likes: 0, private: false, gated: false, lastModified: '2026-01-01T00:00:00.000Z' };
      sendJson(
        response,
        names.map((id, i) => ({
          _id: `${i}`,
          id,
          downloads: 10 * i,
          pipeline_tag: 'text-generation',
          ...facts,
        })),
      );
      return;
    }
    const [, what, repo = '', kind, revision] =
      /^\/api\/(models|datasets)\/([\w.-]+\/[\w.-]+)\/(revision|tree)\/(.+)$/.exec(path) ?? [];
    if (what !== undefined) {
      const api = what === 'datasets' ? `datasets/${repo}` : repo;
      if (failed(response, path)) return;
      const model = allowed(request, response, api);
      if (model === null) return;
      if (revision !== 'main' && revision !== 'HEAD' && revision !== model.commit)
        refuse(response, 404, 'Revision not found');
      else if (kind === 'revision')
        sendJson(response, {
          id: api,
          sha: model.commit,
          ...(model.ggufWeights === undefined ? {} : { gguf: { total: model.ggufWeights } }),
          private: model.token !== undefined,
          gated: false,
          siblings: [],
        });
      else {
        const at = Number(url.searchParams.get('cursor') ?? 0);
        const entries = [...model.files].map(([name, bytes]) => ({
          type: 'file',
          path: name,
          oid: hash(bytes).slice(0, 40),
          size: bytes.length,
          ...(isLarge(name)
            ? { lfs: { oid: hash(bytes), size: bytes.length, pointerSize: 132 }, xetHash: hash(bytes) }
            : {}),
        }));
        url.searchParams.set('cursor', `${at + PAGE}`);
        const next = `<${addressOf(hub)}${url.pathname}${url.search}>; rel="next"`;
        sendJson(response, entries.slice(at, at + PAGE), at + PAGE < entries.length ? next : undefined);
      }
      return;
    }
    const [, name, at, file = ''] =
      /^\/((?:datasets\/)?[\w.-]+\/[\w.-]+)\/resolve\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const model = name === undefined ? null : allowed(request, response, name);
    if (name === undefined) refuse(response, 404, 'Not found');
    if (name === undefined || model === null) return;
    const bytes = model.files.get(file);
    if (bytes === undefined || (at !== 'main' && at !== model.commit))
      refuse(response, 404, 'Entry not found');
    else if (isLarge(file))
      response
        .writeHead(302, {
          ...CORS,
          Location: `${storageUrl}/${name}/${file}`,
          'X-Linked-Size': bytes.length,
          'X-Linked-ETag': `"${hash(bytes)}"`,
          'X-Xet-Hash': hash(bytes),
          'X-Repo-Commit': model.commit,
        })
        .end();
    else void sendBytes(request, response, file, bytes, 'hub', model.commit);
  });

  const closed = (server: Server): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return {
    url: addressOf(hub),
    storageUrl,
    models: served,
    ranges,
    accounts,
    uploads,
    fail: (path, fault, times = 1) => void faults.push({ path, fault, times }),
    faultsLeft: (path) =>
      faults.filter((each) => each.path === path).reduce((sum, { times }) => sum + times, 0),
    close: async () => {
      await Promise.all([closed(hub), closed(storage)]);
    },
  };
}
