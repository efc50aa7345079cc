/** Keeps the JavaScript small that the page loads before it draws more than its head. */
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { chunksOf } from './chunks.ts';

/** Bytes, gzip, of the entry and of all that it imports statically. */
const MOST_BYTES = 330_000;

interface Chunk {
  readonly code: string;
  readonly isEntry: boolean;
  readonly imports: readonly string[];
}

/** Bytes, gzip, of the entries among `chunks` and of all that they import statically. */
function initialBytes(chunks: ReadonlyMap<string, Chunk>): number {
  const loaded = new Set([...chunks].filter(([, { isEntry }]) => isEntry).map(([name]) => name));
  // A set yields what is added while it is walked.
  for (const name of loaded) for (const imported of chunks.get(name)?.imports ?? []) loaded.add(imported);
  return [...loaded].reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? '').length, 0);
}

/** Says at each build what the first screen loads, and fails above the bound. */
export function initialScript(): Plugin {
  return {
    name: 'initial-script',
    // The programs for Node are built with the same settings; nobody waits for them to be fetched.
    apply: ({ build }, { command }) => command === 'build' && !build?.ssr,
    writeBundle(_options, bundle) {
      const bytes = initialBytes(chunksOf(bundle));
      const found = `${(bytes / 1000).toFixed(1)} kB of JavaScript (gzip) that the page starts with`;
      if (bytes > MOST_BYTES)
        this.error(
          `${found}; at most ${MOST_BYTES / 1000} kB. Load what the first screen does not show with \`lazyPart\` (src/page/ui/draw/lazyPart.tsx).`,
        );
      this.info(found);
    },
  };
}
