/** A person's question to the model before training and to the model of now. */
import type { RunConfig } from '../settings/schema/schema.ts';
import type { Renderer, LoadedModel, SampledCompletion } from '@rl-playground/engine/parts';
import type { EngineHost } from '@rl-playground/engine/parts/tensors';
import { findTask, type Completion, type Problem, type PromptStyle } from '@rl-playground/tasks/parts';
import type { ChatMessage } from '@rl-playground/base/conversation';

export interface Question {
  readonly text: string;
  /** A problem whose task puts its words around the question, as in a run; without one the question goes as a person's message. */
  readonly problem?: Problem | undefined;
  /** The temperature; 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
}

/** Answers to the same prompt with the same draws. */
export interface ComparedAnswers {
  /** The text that the model reads. */
  readonly prompt: string;
  /** The answer of the model before training, or where that is gone of the model that KL is measured against (`referenceMoves`). */
  readonly before: Completion;
  readonly now: Completion;
  /** The step whose weights answered. */
  readonly step: number;
}

/** It is called with each answer as far as it is written. */
export type OnText = (of: 'before' | 'now', text: string) => void;

export interface Asking {
  readonly question: Question;
  /** The model before training, loaded again, where KL is measured against another by now. */
  readonly untrained?: LoadedModel | null;
  readonly onText?: OnText | undefined;
}

/**
 * True if KL is measured against another model than training began with: the result of a warm-up, or a renewed one. Under LoRA
 * the base is there all the time.
 */
export function referenceMoves({
  loraRank,
  klReference,
  warmStartSteps,
}: Pick<RunConfig, 'loraRank' | 'klReference' | 'warmStartSteps'>): boolean {
  return loraRank === 0 && (klReference === 'past' || warmStartSteps > 0);
}

function messagesOf({ text, problem }: Question, style: PromptStyle): ChatMessage[] {
  const task = problem && findTask(problem.task);
  return task
    ? task.messages({ ...problem, question: text, compact: text }, style)
    : [{ role: 'user', content: text }];
}

/** Puts the question to both models. @throws where the question has no room beside its answer. */
export async function compareAnswers(
  { question, untrained = null, onText = () => undefined }: Asking,
  host: EngineHost,
  model: LoadedModel,
  renderer: Renderer,
  { topP, topK, minP, repetitionPenalty, seed }: RunConfig,
): Promise<Omit<ComparedAnswers, 'step'>> {
  const { temperature, maxTokens } = question;
  const promptIds = renderer.promptIds(messagesOf(question, model.promptStyle));
  const { maxPositions } = model.config;
  if (promptIds.length + maxTokens > maxPositions)
    throw new Error(
      `The question takes ${promptIds.length} tokens and its answer up to ${maxTokens}, together more than the ${maxPositions} positions of ${model.name}. Ask something shorter.`,
    );
  const { stopStrings: stop } = renderer;
  const sampling = { temperature, topP, topK, minP, repetitionPenalty, maxTokens, stop };
  const onTokens = (of: 'before' | 'now', tokens: readonly number[]): void =>
    onText(of, renderer.textOf(tokens, 'max_tokens').text);
  const [before, now] = await host.compare({ promptIds, seed, sampling, onTokens }, untrained);
  const said = ({ tokens, stopReason }: SampledCompletion): Completion => ({
    text: renderer.textOf(tokens, stopReason).text,
    tokens,
    stopReason,
  });
  return { prompt: model.tokenizer.decode(promptIds), before: said(before), now: said(now) };
}
