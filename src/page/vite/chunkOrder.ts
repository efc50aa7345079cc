/** Refuses a build whose files import each other in a circle. */
import type { Plugin } from 'vite';
import { chunksOf } from './chunks.ts';

interface Chunk {
  readonly imports: readonly string[];
}

/** The files of one circle, in order; null where there is none. */
export function circleOf(chunks: ReadonlyMap<string, Chunk>): string[] | null {
  const done = new Set<string>();
  const walk = (name: string, path: readonly string[]): string[] | null => {
    const at = path.indexOf(name);
    if (at >= 0) return path.slice(at);
    if (done.has(name)) return null;
    for (const imported of chunks.get(name)?.imports ?? []) {
      const circle = walk(imported, [...path, name]);
      if (circle !== null) return circle;
    }
    done.add(name);
    return null;
  };
  for (const name of chunks.keys()) {
    const circle = walk(name, []);
    if (circle !== null) return circle;
  }
  return null;
}

/**
 * Modules may be in order where files made of them are not: which file runs first then depends on which part of the page is fetched first, and
 * what a module needs as it runs may be undefined.
 */
export function chunkOrder(): Plugin {
  return {
    name: 'chunk-order',
    apply: 'build',
    writeBundle(_options, bundle) {
      const circle = circleOf(chunksOf(bundle));
      if (circle !== null)
        this.error(
          `These files import each other in a circle: ${circle.join(' → ')}. Group their modules otherwise in vite.config.ts.`,
        );
    },
  };
}
