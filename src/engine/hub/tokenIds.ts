/** Checks the ids of a vocabulary. The table of bytes is as long as the largest id. */
import { isJsonObject, shownJson } from '@rl-playground/base/json';

/** The largest id that is accepted. The largest vocabularies have a quarter of a million tokens. */
export const LARGEST_ID = 2 ** 22 - 1;

function checkToken(token: unknown, id: unknown): void {
  if (typeof token === 'string' && Number.isInteger(id) && Number(id) >= 0 && Number(id) <= LARGEST_ID)
    return;
  throw new Error(
    `the token ${shownJson(token, 40)} has the id ${shownJson(id, 40)}; tokens are texts, and ids whole numbers from 0 to ${LARGEST_ID}`,
  );
}

/** Checks a parsed `tokenizer.json` before it is used. @throws Error naming a token whose id is no valid number. */
export function checkTokenIds(tokenizerJson: object): void {
  const { added_tokens: added, model } = tokenizerJson as { added_tokens?: unknown; model?: unknown };
  if (Array.isArray(added))
    for (const token of added as unknown[])
      if (isJsonObject(token)) checkToken(token['content'], token['id']);
  if (isJsonObject(model) && isJsonObject(model['vocab']))
    for (const [token, id] of Object.entries(model['vocab'])) checkToken(token, id);
}
