/** The options of an engine whose model may be named by its place. */
import type { LoadedModel } from '../hub/types.ts';
import type { EngineOptions } from './createEngine.ts';

export interface OpenOptions extends Omit<EngineOptions, 'model'> {
  /**
   * A loaded model, or the place of a folder in Hugging Face layout: its address (absolute, or relative to the page), or under Node its
   * path or that of a zip (relative paths begin at the caller's file).
   */
  readonly model: string | LoadedModel;
}

/** The last part of a path or address, which names the model. */
export function nameOfPlace(place: string): string {
  const [path = ''] = place.split(/[?#]/);
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  return parts.at(-1) ?? place;
}
