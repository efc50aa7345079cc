/** Serves the built page on this machine. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIP, type AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import sirv from 'sirv';
import { BadInput } from '@rl-playground/base/errors';
import { isolationHeaders } from '@rl-playground/base/isolationHeaders';
import { codeOf } from '@rl-playground/run/disk';
import { pageFolder } from './places.ts';

/** The headers that a page can't state itself: a policy in a `<meta>` may not hold `frame-ancestors`. */
const ownHeaders = {
  ...isolationHeaders,
  'Content-Security-Policy': "frame-ancestors 'none'",
};

/** `--cert` and `--key`. */
export interface TlsWords {
  readonly cert?: string;
  readonly key?: string;
}

/** @throws BadInput if only one file is given, or one of them does not exist. */
export function tlsOf({ cert, key }: TlsWords): Required<TlsWords> | null {
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) throw new BadInput('--cert and --key come together.');
  for (const path of [cert, key]) if (!existsSync(path)) throw new BadInput(`There is no file ${path}.`);
  return { cert: resolve(cert), key: resolve(key) };
}

export interface ServeOptions {
  /** The port; 0 takes a free one. */
  readonly port: number;
  /** Sends COOP and COEP, which wasm threads need, and forbids other pages to frame this one. A plain static host sends none of them. */
  readonly isolated?: boolean;
  /** The folder of a built page other than the app. */
  readonly folder?: string;
  /** The path of the page on the host, with slashes at both ends. */
  readonly base?: string;
  /** The host on which it listens; by default 127.0.0.1, and so this machine alone. */
  readonly host?: string;
  /** The PEM files for https. */
  readonly tls?: Required<TlsWords> | null;
}

export interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

export interface PageHost extends ServedPage {
  /** The addresses under which other machines find it. */
  readonly network: readonly string[];
  /** The server, for a WebSocket of the page's own host. */
  readonly server: Server;
}

export class PortTakenError extends Error {}

/** True for names that mean only this machine, and for addresses. */
const isOwnName = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || isIP(name.replace(/^\[|\]$/g, '')) !== 0;

/** The name in a request's Host header, without the port. */
const nameIn = (header: string | undefined): string => (header ?? '').replace(/:\d+$/, '').toLowerCase();

/** The addresses under which other machines find this one. */
export const networkAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((found = []) =>
    found.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  );

/**
 * Serves the built page, or another folder.
 *
 * @throws PortTakenError when the port is taken.
 */
export async function serve(options: ServeOptions): Promise<PageHost> {
  const { port, isolated = true, base = '/', host = '127.0.0.1', tls = null, folder = pageFolder } = options;
  const files = sirv(folder, {
    etag: true,
    setHeaders(response, path) {
      for (const [name, value] of Object.entries(isolated ? ownHeaders : {})) response.setHeader(name, value);
      // Files that are named by a hash of what they hold never change.
      if (path.includes('/assets/'))
        response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    },
  });
  const allowed = [host, hostname().toLowerCase()];
  const answer: RequestListener = (request, response) => {
    // Other names are refused, against pages that lead a browser here under a name of theirs.
    const name = nameIn(request.headers.host);
    if (!isOwnName(name) && !allowed.includes(name)) {
      response.writeHead(403).end(`This page is not served under the name ${name}.`);
      return;
    }
    const missing = (): void => void response.writeHead(404).end();
    const path = request.url ?? '/';
    if (!path.startsWith(base)) return missing();
    request.url = `/${path.slice(base.length)}`;
    files(request, response, missing);
  };
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, answer)
    : createServer(answer);
  const found = await listening(server, port, host);
  const addressOf = (name: string): string =>
    `${tls ? 'https' : 'http'}://${isIP(name) === 6 ? `[${name}]` : name}:${found}${base}`;
  const everywhere = host === '0.0.0.0' || host === '::';
  return {
    url: addressOf(everywhere ? 'localhost' : host),
    network: (everywhere ? networkAddresses() : [host]).map(addressOf),
    server,
    close: () => closed(server),
  };
}

/** Has a server listen. Resolves to its port. @throws PortTakenError */
export async function listening(server: Server, port: number, host: string): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    throw new PortTakenError(`Port ${port} is taken by another program.`, { cause: error });
  }
  return (server.address() as AddressInfo).port;
}

/** Closes a server, and every connection to it. */
export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
