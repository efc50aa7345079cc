/** Parts of the page in separate files, which are fetched when the page is at rest or when they are first drawn. */
import { lazy, useState, type ComponentType, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import { breathe } from '@rl-playground/engine/parts';

/** Milliseconds after which the page counts as idle. */
const LONGEST_WAIT = 500;

/** Resolves when the page has nothing else to do, or soon. */
export function whenIdle(): Promise<void> {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback !== 'function') return breathe();
  return new Promise((resolve) => {
    requestIdleCallback(() => resolve(), { timeout: LONGEST_WAIT });
  });
}

const parts: (() => Promise<unknown>)[] = [];

/** The message in place of a part that could not be fetched. A run goes on without it. */
function unfetched(error: unknown): () => ReactNode {
  return function Unfetched() {
    return (
      <p role="alert">
        This part of the page could not be fetched ({messageOf(error)}). Check the connection; a reload
        fetches it again, and offers the run where it stood.
      </p>
    );
  };
}

interface Options<Props> {
  /** Stands in its place where it can't be fetched; else what says so. */
  readonly without?: ComponentType<Props>;
}

/** A component that is fetched. The nearest Suspense waits for it; once it is there it is drawn without the moment of waiting of `lazy`. */
export function lazyPart<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  { without }: Options<Props> = {},
): ComponentType<Props> {
  let fetched: ComponentType<Props> | null = null;
  const load = async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      fetched = await fetch();
      return { default: fetched };
    } catch (error) {
      return { default: without ?? unfetched(error) };
    }
  };
  const Lazy = lazy(load);
  parts.push(load);
  return function LazyPart(props: Props) {
    const [Part] = useState(() => fetched ?? Lazy);
    return <Part {...props} />;
  };
}

/** Fetches every part of the page, one after the other, while there is nothing else to do. */
export async function fetchParts(): Promise<void> {
  // Those that come to be known on the way are inside one.
  for (const load of parts.splice(0)) {
    await whenIdle();
    await load();
  }
}
