/** Checks the form of an answer to a request: its numbers, token ids and ends. `inspector.ts` checks the values of its tokens. */
import {
  type GeneratorModel,
  FRESH_TEXT,
  STOPPED,
  stopMatcherOf,
  type GroupRequest,
  type SampledCompletion,
  type SamplingSettings,
} from '@rl-playground/engine/parts';
import type { Answer } from './messages.ts';

/** The most that rounding may put log p above 0. */
const ABOVE_ZERO = 1e-4;

type AnswerParts = Pick<Answer, 'version' | 'completions'>;

/** Says what is wrong with an answer, or null if nothing is. `version` is that of the weights that were asked. */
export function answerProblem(
  { version: answered, completions }: AnswerParts,
  request: GroupRequest,
  sampling: SamplingSettings,
  model: GeneratorModel,
  version: number,
): string | null {
  if (answered !== version)
    return `it answered with weights of version ${answered} where version ${version} was asked`;
  if (completions.length !== request.samples)
    return `it gave ${completions.length} answers where ${request.samples} were asked for`;
  for (const completion of completions) {
    const problem = completionProblem(completion, sampling, model);
    if (problem !== null) return problem;
  }
  return null;
}

function completionProblem(
  { tokens, logprobs, stopReason }: SampledCompletion,
  sampling: SamplingSettings,
  model: GeneratorModel,
): string | null {
  const ids = model.drawableIds ?? model.config.vocabSize;
  if (tokens.length === 0 || tokens.length > sampling.maxTokens)
    return `an answer has ${tokens.length} tokens; 1 to ${sampling.maxTokens} are possible`;
  const foreign = tokens.find((token) => token < 0 || token >= ids);
  if (foreign !== undefined)
    return `an answer holds the token ${foreign}; those of this model are 0 to ${ids - 1}`;
  const impossible = logprobs.find((logprob) => !(Number.isFinite(logprob) && logprob <= ABOVE_ZERO));
  if (impossible !== undefined)
    return `a log-probability is ${impossible}; finite numbers up to 0 are possible`;
  const right = endOf(tokens, sampling, model);
  return right === stopReason
    ? null
    : `an answer ends for "${stopReason}" where its tokens end for "${right}"`;
}

/** The end of an answer as the decoders find it (`continuousBatching.ts`), or `too long` if the tokens go on after one. */
function endOf(
  tokens: readonly number[],
  sampling: SamplingSettings,
  { stopTokenIds, tokenBytes }: GeneratorModel,
): string {
  const matcher = stopMatcherOf(tokenBytes, sampling.stop);
  let state = FRESH_TEXT;
  for (const [i, token] of tokens.entries()) {
    if (matcher) state = matcher.after(state, token);
    const end = stopTokenIds.includes(token)
      ? 'eos'
      : state === STOPPED
        ? 'stop'
        : i + 1 >= sampling.maxTokens
          ? 'max_tokens'
          : null;
    if (end !== null) return i + 1 === tokens.length ? end : 'too long';
  }
  return 'nothing';
}
