/** What an engine is opened with, where its model may be named by its place. */
import type { LoadedModel } from '../hub/types.ts';
import type { EngineOptions } from './createEngine.ts';

export interface OpenOptions extends Omit<EngineOptions, 'model'> {
  /**
   * Where a folder in Hugging Face layout is: its address (absolute, or relative to the page), under Node also its path, relative to where
   * the caller stands, or that of a zip. Or a loaded model.
   */
  readonly model: string | LoadedModel;
}

/** The last part of a path or address, by which the model is called. */
export function nameOfPlace(place: string): string {
  const [path = ''] = place.split(/[?#]/);
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  return parts.at(-1) ?? place;
}
