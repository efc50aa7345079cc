/** Parts of the page in separate files, which are fetched once the model is there or when they are first drawn. */
import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { breathe } from '@rl-playground/engine/parts';

const parts: (() => Promise<unknown>)[] = [];

/** The message in place of a part that could not be fetched. A run goes on without it. */
function unfetched(error: unknown): () => ReactNode {
  return function Unfetched() {
    return (
      <p role="alert">
        This part of the page could not be loaded ({messageOf(error)}). Check the connection. Reload to try
        again; you can then continue the run.
      </p>
    );
  };
}

/** A component that is fetched, with `meanwhile` in its place. It is drawn at once if it is fetched already, without the moment of waiting of `lazy`. */
export function lazyPart<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  meanwhile: (props: Props) => ReactNode = () => null,
): ComponentType<Props> {
  let fetched: ComponentType<Props> | null = null;
  const load = async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      fetched = await fetch();
      return { default: fetched };
    } catch (error) {
      return { default: unfetched(error) };
    }
  };
  const Lazy = lazy(load);
  parts.push(load);
  return function LazyPart(props: Props) {
    const [Part] = useState(() => fetched ?? Lazy);
    return (
      <Suspense fallback={meanwhile(props)}>
        <Part {...props} />
      </Suspense>
    );
  };
}

/** Fetches every part of the page, one after the other. */
export async function fetchParts(): Promise<void> {
  // A part inside another one is known, and fetched, once that is drawn.
  for (const load of parts.splice(0)) {
    await breathe();
    await load();
  }
}
