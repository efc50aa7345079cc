/** A person's conversation with a run's model as it was before training, as it is now and as it was at earlier steps, each with its own answers. */
import type { RunConfig } from '../settings/schema/schema.ts';
import type { KeptWeights, LoadedModel, Renderer, Voice } from '@rl-playground/engine/parts';
import type { EngineHost } from '@rl-playground/engine/parts/tensors';
import type { ChatMessage } from '@rl-playground/base/conversation';
import { mean } from '@rl-playground/base/statistics';
import type { Completion } from '@rl-playground/tasks/parts';
import { fitting, type Turn } from './turns.ts';

export interface ChatQuestion {
  /** The versions of the model that answer, each with the turns that it has had. */
  readonly voices: readonly { readonly voice: Voice; readonly turns: readonly Turn[] }[];
  readonly messages: readonly ChatMessage[];
  /** The temperature; 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
}

export interface ChatAnswer extends Completion {
  readonly voice: Voice;
  /** The text that the model reads. */
  readonly prompt: string;
  /** The oldest turns that its context had no room for. */
  readonly leftOut: number;
  /** The mean over the tokens of KL(now ‖ before) in nats, for an answer of now beside one of before. */
  readonly kl: number | null;
}

/** The reason why a version of the model did not answer. */
export interface Unanswered {
  readonly voice: Voice;
  readonly problem: string;
}

export interface ChatAnswers {
  readonly answers: readonly (ChatAnswer | Unanswered)[];
  /** The step whose weights are those of now. */
  readonly step: number;
  /** The renderer that made the prompts. */
  readonly renderer: Renderer['name'];
}

/** It is called with each answer as far as it is written. */
export type OnText = (of: Voice, text: string) => void;

export interface Listening {
  readonly onText?: OnText | undefined;
  /** Ends the answers that are being written: the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Finds the weights of versions that the engine keeps no longer. */
  readonly stored?: KeptWeights | undefined;
}

/** The run that is asked. */
export interface ChatSubject {
  readonly host: EngineHost;
  readonly model: LoadedModel;
  readonly renderer: Renderer;
  readonly config: RunConfig;
  /** The model before training, loaded again, where KL is measured against another by now. */
  readonly untrained: LoadedModel | null;
  /** The updates made so far. */
  readonly step: number;
}

/** Puts the question to each of the voices, behind its own conversation. */
export async function chatAnswers(
  { voices, messages, temperature, maxTokens }: ChatQuestion,
  { host, model, renderer, config, untrained, step }: ChatSubject,
  { onText, signal, stored }: Listening = {},
): Promise<ChatAnswers> {
  const { topP, topK, minP, repetitionPenalty } = config;
  const { maxPositions: positions } = model.config;
  const found: (ChatAnswer | Unanswered)[] = [];
  const gone = new Set<Voice>();
  for (const { voice } of voices)
    if (typeof voice === 'number' && !host.engine.past.of(voice) && !(await stored?.(voice))) gone.add(voice);
  const ready = voices.flatMap(({ voice, turns }) => {
    if (gone.has(voice)) {
      found.push({
        voice,
        problem: 'The weights of this step are no longer kept. Choose a later one.',
      });
      return [];
    }
    const prompt = fitting(turns, messages, (those) => renderer.promptIds(those), { maxTokens, positions });
    if (prompt !== null) return { voice, ...prompt };
    const needed = renderer.promptIds(messages).length;
    found.push({
      voice,
      problem: `The question takes ${needed} tokens and its answer up to ${maxTokens}, together more than the ${positions} positions of ${model.name}. Ask something shorter, or allow fewer tokens per answer.`,
    });
    return [];
  });
  if (ready.length === 0) return { answers: found, renderer: renderer.name, step };
  const groups = await host.answers(
    ready.map(({ voice, promptIds }) => ({ voice, prompts: [promptIds] })),
    {
      // Another turn has other draws.
      seed: config.seed + Math.max(...voices.map(({ turns }) => turns.length)),
      sampling: { temperature, topP, topK, minP, repetitionPenalty, maxTokens, stop: renderer.stopStrings },
      onTokens: (of, tokens) => onText?.(of, renderer.textOf(tokens, 'max_tokens').text),
      signal,
    },
    { untrained, stored },
  );
  const compared = ready.some(({ voice }) => voice === 'before');
  for (const [i, { voice, promptIds, leftOut }] of ready.entries()) {
    const [said] = groups[i] ?? [];
    if (said === undefined) continue;
    const { tokens, stopReason } = said;
    const answered = voice === 'now' && compared ? [{ promptIds, tokens }] : [];
    const [kl = []] = answered.length > 0 ? await host.divergences(answered, { untrained }) : [];
    found.push({
      voice,
      text: renderer.textOf(tokens, stopReason).text,
      tokens,
      stopReason,
      prompt: model.tokenizer.decodeWhole(promptIds),
      leftOut,
      kl: kl.length > 0 ? mean(kl) : null,
    });
  }
  return { answers: found, renderer: renderer.name, step };
}
