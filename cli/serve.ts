/** Serves the built page on this machine. */
import { join } from 'node:path';
import { preview, type PreviewServer } from 'vite';
import { isolationHeaders } from '../vite.config.ts';
import { repository } from './tools.ts';

/** What a page can't say of itself: a policy in a `<meta>` may not hold `frame-ancestors`. */
const ownHeaders = {
  ...isolationHeaders,
  'Content-Security-Policy': "frame-ancestors 'none'",
};

export interface ServeOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Send COOP and COEP, which wasm threads need, and that no other page may frame this one. A plain static host sends none of them. */
  readonly isolated?: boolean;
  /** Path of the page on the host, with slashes at both ends. */
  readonly base?: string;
}

export interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

export interface PageHost extends ServedPage {
  /** What a WebSocket of the page's own host is opened with. */
  readonly server: PreviewServer['httpServer'];
}

export class PortTakenError extends Error {}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && /EADDRINUSE|already in use/.test(error.message);
}

/**
 * Serves `dist/` on 127.0.0.1.
 *
 * @throws PortTakenError when the port is taken.
 */
export async function serve({ port, isolated = true, base = '/' }: ServeOptions): Promise<PageHost> {
  const before = process.listeners('SIGTERM');
  try {
    const server = await preview({
      root: repository,
      configFile: false,
      logLevel: 'error',
      appType: 'mpa',
      base,
      build: { outDir: join(repository, 'dist') },
      preview: { host: '127.0.0.1', port, strictPort: true, headers: isolated ? ownHeaders : {} },
    });
    // What a termination means is for the program to say: Vite would end it on the spot.
    for (const listener of process.listeners('SIGTERM'))
      if (!before.includes(listener)) process.off('SIGTERM', listener);
    const [url] = server.resolvedUrls?.local ?? [];
    if (url === undefined) throw new Error('The server has no address.');
    return { url, server: server.httpServer, close: () => server.close() };
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    throw new PortTakenError(`Port ${port} is taken by another program.`, { cause: error });
  }
}
