import { ModelFileError } from '../errors.ts';
import type { LoadedModel } from '../types.ts';
import type { Renderer } from './types.ts';

/**
 * The model's own chat template. A message ends properly with the stop token that the template puts behind an answer
 * (`<|im_end|>`, `<|eot_id|>`), as with the token-based renderers of the Tinker cookbook; where the template puts none of them
 * there, with any.
 * @throws ModelFileError where the model has no template.
 */
export function chatTemplate({
  tokenizer,
  stopTokenIds,
}: Pick<LoadedModel, 'tokenizer' | 'stopTokenIds'>): Renderer {
  if (!tokenizer.hasChatTemplate) {
    throw new ModelFileError(
      'The model has no chat template, which the renderer "chat_template" needs; choose "role_colon", or "auto".',
    );
  }
  const turnEnd = tokenizer.turnEnd().find((id) => stopTokenIds.includes(id));
  return {
    name: 'chat_template',
    stopStrings: [],
    promptIds: (messages) => tokenizer.promptIds(messages),
    answerIds: (text) => [...tokenizer.encode(text), turnEnd ?? tokenizer.eosTokenId],
    textOf(tokens, stopReason) {
      const proper = stopReason === 'eos' && (turnEnd === undefined || tokens.at(-1) === turnEnd);
      return { text: tokenizer.decode(tokens), stopReason: proper ? 'stop' : stopReason };
    },
  };
}
