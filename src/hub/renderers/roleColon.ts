import type { ChatMessage, StopReason } from '../../tasks/types.ts';
import { textOfTokens } from '../tokenBytes.ts';
import type { Tokenizer } from '../types.ts';
import type { Renderer } from './types.ts';

/** What a base model writes when it goes on with the conversation by itself. */
const DELIMITER = '\n\nUser:';

const HEADERS: Readonly<Record<ChatMessage['role'], string>> = {
  system: 'System:',
  user: 'User:',
  assistant: 'Assistant:',
};

/** `delimiters`: how many the text holds. */
function verdict(delimiters: number, stopReason: StopReason): StopReason {
  if (stopReason === 'error') return 'error';
  if (delimiters === 0) return stopReason === 'eos' ? 'eos' : 'max_tokens';
  return delimiters === 1 && stopReason !== 'eos' ? 'stop' : 'max_tokens';
}

/**
 * Paragraphs of "Role: content", for base models: the Tinker cookbook's `role_colon`. Headers are tokenized apart from
 * contents, so that the first token of an answer normally brings its space along. A delimiter followed by a stop token, or
 * more than one, is malformed there and `max_tokens` here; no delimiter is `eos` behind a stop token, else malformed. Of the
 * text, only what comes before the first delimiter is read, without space around it.
 * @throws ModelFileError where the tokenizer has no bytes for single tokens.
 */
export function roleColon(tokenizer: Tokenizer): Renderer {
  const table = tokenizer.tokenBytes();
  return {
    name: 'role_colon',
    stopStrings: [DELIMITER],
    promptIds: (messages) => [
      ...(tokenizer.bosTokenId === null ? [] : [tokenizer.bosTokenId]),
      ...messages.flatMap(({ role, content }) => [
        ...tokenizer.encode(HEADERS[role]),
        ...tokenizer.encode(` ${content}\n\n`),
      ]),
      ...tokenizer.encode(HEADERS.assistant),
    ],
    answerIds(text) {
      const apart = [...tokenizer.encode(` ${text}\n\n`), ...tokenizer.encode(HEADERS.user)];
      // SentencePiece begins every text with a space, which would part the delimiter.
      const joined = textOfTokens(table, apart).includes(DELIMITER);
      return joined ? apart : tokenizer.encode(` ${text}${DELIMITER}`);
    },
    textOf(tokens, stopReason) {
      const ended = stopReason === 'eos';
      const parts = textOfTokens(table, ended ? tokens.slice(0, -1) : tokens).split(DELIMITER);
      return { text: (parts[0] ?? '').trim(), stopReason: verdict(parts.length - 1, stopReason) };
    },
  };
}
