/** Prompts that no task trains on, answered before and after training: they show what else a run has changed. */
import { mean } from '@rl-playground/base/statistics';
import type { ChatSubject } from './chat.ts';

/** A greeting, a question for a fact, and a request of a kind that no task makes. */
export const UNTRAINED_PROMPTS: readonly string[] = [
  'Hi! How are you today?',
  'What is the capital of France?',
  'Translate “good morning” into French.',
];

/** The most tokens of an answer. */
const MOST_TOKENS = 48;

/** The greedy answers to a prompt that was not trained on. */
export interface UntrainedAnswers {
  readonly prompt: string;
  readonly before: string;
  readonly now: string;
  /** The mean over the tokens of the answer of now of KL(now ‖ before), in nats. */
  readonly kl: number;
}

export interface UntrainedReport {
  readonly answers: readonly UntrainedAnswers[];
  /** The step whose weights are those of now. */
  readonly step: number;
}

/** Both models answer all prompts, greedily and without filters or penalties. */
export async function untrainedAnswers(
  { host, model, renderer, untrained, step }: ChatSubject,
  signal?: AbortSignal,
): Promise<UntrainedReport> {
  const prompts = UNTRAINED_PROMPTS.map((content) => renderer.promptIds([{ role: 'user', content }]));
  const longest = Math.max(...prompts.map(({ length }) => length));
  const maxTokens = Math.min(MOST_TOKENS, model.config.maxPositions - longest);
  if (maxTokens < 1)
    throw new Error(
      `The prompts take up to ${longest} tokens, and the context of ${model.name} holds ${model.config.maxPositions}.`,
    );
  const [before = [], now = []] = await host.answers(
    [
      { voice: 'before', prompts },
      { voice: 'now', prompts },
    ],
    {
      seed: 0,
      sampling: { temperature: 0, topP: 1, topK: 0, maxTokens, stop: renderer.stopStrings },
      signal,
    },
    { untrained },
  );
  const answered = now.map(({ tokens }, i) => ({ promptIds: prompts[i] ?? [], tokens }));
  const kls = await host.divergences(answered, { untrained });
  const textOf = (said: (typeof now)[number] | undefined): string =>
    said === undefined ? '' : renderer.textOf(said.tokens, said.stopReason).text;
  const answers = UNTRAINED_PROMPTS.map((prompt, i) => ({
    prompt,
    before: textOf(before[i]),
    now: textOf(now[i]),
    kl: mean(kls[i] ?? []),
  }));
  return { answers, step };
}

/** Sums the answers up in a sentence. */
export function untrainedSentence(answers: readonly UntrainedAnswers[]): string {
  const kept = answers.filter(({ before, now }) => before === now).length;
  const kl = mean(answers.map((each) => each.kl));
  const same =
    kept === answers.length
      ? `All ${kept} answers are the same as before`
      : `${kept} of ${answers.length} answers are the same as before`;
  return `${same}; KL of now against before is ${kl.toFixed(3)} nats a token on them.`;
}
