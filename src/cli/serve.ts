/** Serves the built page on this machine. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { preview, type Plugin, type PreviewServer } from 'vite';
import { isolationHeaders } from '../../vite/isolationHeaders.ts';
import { repository } from './tools.ts';

/** What a page can't say of itself: a policy in a `<meta>` may not hold `frame-ancestors`. */
const ownHeaders = {
  ...isolationHeaders,
  'Content-Security-Policy': "frame-ancestors 'none'",
};

/** Files that are named by a hash of what they hold never change. */
const keptForGood: Plugin = {
  name: 'kept-for-good',
  configurePreviewServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      if (request.url?.includes('/assets/') === true)
        response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      next();
    });
  },
};

export interface ServeOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Send COOP and COEP, which wasm threads need, and that no other page may frame this one. A plain static host sends none of them. */
  readonly isolated?: boolean;
  /** Of a built page other than the app. */
  readonly folder?: string;
  /** Path of the page on the host, with slashes at both ends. */
  readonly base?: string;
  /** Where it listens; 127.0.0.1, and with it this machine alone, where it is left out. */
  readonly host?: string;
  /** PEM files with which it speaks https. */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

export interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

export interface PageHost extends ServedPage {
  /** Under which other machines find it. */
  readonly network: readonly string[];
  /** What a WebSocket of the page's own host is opened with. */
  readonly server: PreviewServer['httpServer'];
}

export class PortTakenError extends Error {}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && /EADDRINUSE|already in use/.test(error.message);
}

/**
 * Serves `dist/`, or another folder.
 *
 * @throws PortTakenError when the port is taken.
 */
export async function serve(options: ServeOptions): Promise<PageHost> {
  const { port, isolated = true, base = '/', host = '127.0.0.1', tls = null } = options;
  const { folder = join(repository, 'dist') } = options;
  const before = process.listeners('SIGTERM');
  try {
    const server = await preview({
      root: repository,
      configFile: false,
      logLevel: 'error',
      appType: 'mpa',
      base,
      build: { outDir: folder },
      plugins: [keptForGood],
      preview: {
        host,
        port,
        strictPort: true,
        headers: isolated ? ownHeaders : {},
        // Other names would be refused, against pages that lead a browser here under a name of theirs.
        allowedHosts: [host, hostname()],
        ...(tls && { https: { cert: readFileSync(tls.cert), key: readFileSync(tls.key) } }),
      },
    });
    // What a termination means is for the program to say: Vite would end it on the spot.
    for (const listener of process.listeners('SIGTERM'))
      if (!before.includes(listener)) process.off('SIGTERM', listener);
    const { local = [], network = [] } = server.resolvedUrls ?? {};
    const [url = network[0]] = local;
    if (url === undefined) throw new Error('The server has no address.');
    return { url, network, server: server.httpServer, close: () => server.close() };
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    throw new PortTakenError(`Port ${port} is taken by another program.`, { cause: error });
  }
}
