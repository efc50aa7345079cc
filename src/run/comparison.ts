/** A question of the user's to the model as it was before training and as it is now. */
import type { RunConfig } from '../config/schema.ts';
import type { Renderer } from '../hub/renderers.ts';
import type { LoadedModel } from '../hub/types.ts';
import type { SampledCompletion } from '../rollout/types.ts';
import type { EngineHost } from './engine/engineHost.ts';

/** Outside of any task. */
export interface Question {
  readonly text: string;
  /** 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
}

/** Answers to the same prompt with the same draws. */
export interface ComparedAnswers {
  /** The question as the model gets it. */
  readonly prompt: string;
  /** By the model that KL is measured against: as it was loaded, or behind a warm start; under LoRA its base. */
  readonly before: string;
  readonly now: string;
  /** The step whose weights answered. */
  readonly step: number;
}

/** @throws where the question has no room beside its answer. */
export async function compareAnswers(
  { text, temperature, maxTokens }: Question,
  host: EngineHost,
  model: LoadedModel,
  renderer: Renderer,
  { topP, topK, minP, repetitionPenalty, seed }: RunConfig,
): Promise<Omit<ComparedAnswers, 'step'>> {
  const promptIds = renderer.promptIds([{ role: 'user', content: text }]);
  const { maxPositions } = model.config;
  if (promptIds.length + maxTokens > maxPositions)
    throw new Error(
      `The question takes ${promptIds.length} tokens and its answer up to ${maxTokens}, together more than the ${maxPositions} positions of ${model.name}. Ask something shorter.`,
    );
  const { stopStrings: stop } = renderer;
  const sampling = { temperature, topP, topK, minP, repetitionPenalty, maxTokens, stop };
  const [before, now] = await host.compare(promptIds, seed, sampling);
  const said = ({ tokens, stopReason }: SampledCompletion): string =>
    renderer.textOf(tokens, stopReason).text;
  return { prompt: model.tokenizer.decode(promptIds), before: said(before), now: said(now) };
}
