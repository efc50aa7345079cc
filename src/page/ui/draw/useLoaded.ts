import { useEffect, useState } from 'react';
import { messageOf } from '@rl-playground/base/errors';

export interface Loaded<Value> {
  /** The newest value that was loaded; null before the first. */
  readonly value: Value | null;
  /** The reason why the last load failed, if it did. */
  readonly problem: string | null;
  /** True while another value is being loaded. */
  readonly stale: boolean;
}

interface Found<Value> extends Omit<Loaded<Value>, 'stale'> {
  readonly by: unknown;
  readonly of: unknown;
}

/** Loads a value, and loads it anew with every other `load` and every other `of`, which stands for what `load` reads. */
export function useLoaded<Value>(load: () => Promise<Value>, of?: unknown): Loaded<Value> {
  const [found, setFound] = useState<Found<Value>>({ value: null, problem: null, by: null, of });
  useEffect(() => {
    let wanted = true;
    load().then(
      (value) => wanted && setFound({ value, problem: null, by: load, of }),
      (error: unknown) =>
        wanted && setFound(({ value }) => ({ value, problem: messageOf(error), by: load, of })),
    );
    return () => {
      wanted = false;
    };
  }, [load, of]);
  return { ...found, stale: found.by !== load || found.of !== of };
}
