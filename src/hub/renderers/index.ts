/** The renderers, and which one a model is best asked with. */
import type { LoadedModel, Tokenizer } from '../types.ts';
import { chatTemplate } from './chatTemplate.ts';
import { roleColon } from './roleColon.ts';
import type { Renderer, RendererName } from './types.ts';

export { RENDERER_NAMES, type Reading, type Renderer, type RendererName } from './types.ts';

/** The chat template where there is one; a model without was never taught to converse. */
export function recommendedRenderer({ hasChatTemplate }: Pick<Tokenizer, 'hasChatTemplate'>): RendererName {
  return hasChatTemplate ? 'chat_template' : 'role_colon';
}

/**
 * `auto` is the recommended one.
 * @throws ModelFileError, naming what to choose instead, where the model can't be asked that way.
 */
export function createRenderer(
  choice: RendererName | 'auto',
  model: Pick<LoadedModel, 'tokenizer' | 'stopTokenIds'>,
): Renderer {
  const name = choice === 'auto' ? recommendedRenderer(model.tokenizer) : choice;
  return name === 'role_colon' ? roleColon(model.tokenizer) : chatTemplate(model);
}
