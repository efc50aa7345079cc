/** The sizes that a run's settings come to: how many tokens go through the model at once, and how many rows are decoded. */
import {
  batchSize,
  LEAST_GAIN,
  MOST_COPIED,
  paddedLength,
  cacheShape,
  grownPages,
  pageBytes,
  pagesOf,
  positionsKept,
  type CacheRoom,
  type CacheShape,
} from '@rl-playground/engine/parts';
import { selectedRows, tokensAtOnce } from '@rl-playground/engine/parts/tensors';
import { type RunConfig, problemsInStep } from '../settings/schema/schema.ts';
import { taskAt, taskMix, trainingProblem } from '../loop/taskMix.ts';
import { SPARE_POSITIONS } from '../loop/prompts.ts';
import type { PlannedBackend, PlannedModel } from './types.ts';

/** Guesses for a model without a tokenizer: characters of a prompt's token, and tokens of a chat template. */
const CHARACTERS_PER_TOKEN = 3;
const TEMPLATE_TOKENS = 32;
const PROMPTS_LOOKED_AT = 64;

export interface RunShape {
  readonly promptTokens: number;
  /** The positions that the largest microbatch computes, padding included. */
  readonly microBatchTokens: number;
  /** The positions that attention takes besides, where rows have copies of a prompt that is computed once; 0 where none is. */
  readonly copiedTokens: number;
  /** Positions of it that are worked on behind the last attention: those that predict a token of a completion, padded. */
  readonly headTokens: number;
  /** Size of the step's last microbatch beside the largest, where it is smaller; 0 where all are alike. */
  readonly lastShare: number;
  /** Positions in the RoPE tables. */
  readonly positions: number;
  /** The cache of one generator, over training and evaluation. */
  readonly decoding: Pick<CacheShape, 'slots' | 'places' | 'kinds' | 'pages'>;
}

/** Guesses the tokens of the longest prompt from its characters. */
function guessedPrompt(config: RunConfig): number {
  const tasks = taskMix(config);
  const characters = Array.from({ length: PROMPTS_LOOKED_AT }, (_, index) => {
    const { problem, taskIndex } = trainingProblem(tasks, null, config.seed, index);
    return taskAt(tasks, taskIndex)
      .task.messages(problem, 'full')
      .reduce((sum, { content }) => sum + content.length, 0);
  });
  return Math.ceil(Math.max(...characters) / CHARACTERS_PER_TOKEN) + TEMPLATE_TOKENS;
}

/** The rows of the largest microbatch, and the positions that it computes and copies, where one has room for `room` positions. */
function largestMicrobatch(
  promptTokens: number,
  { maxTokens, rolloutsPerProblem, microBatchTokens: room }: RunConfig,
  sequences: number,
  backend: PlannedBackend,
): { rows: number; computed: number; copied: number } {
  const length = paddedLength({ promptIds: tokens(promptTokens), tokens: tokens(maxTokens) });
  const once = (rows: number): number =>
    Math.ceil(rows / rolloutsPerProblem) * promptTokens + rows * (maxTokens - 1);
  let shared = 1;
  while (shared < sequences && once(shared + 1) <= room && (shared + 1) * length <= MOST_COPIED * room)
    shared++;
  const pays = Math.min(shared, rolloutsPerProblem) > 1 && once(shared) <= (1 - LEAST_GAIN) * shared * length;
  if (pays) return { rows: shared, computed: selectedRows(once(shared), backend), copied: shared * length };
  const rows = Math.min(sequences, Math.max(1, Math.floor(room / length)));
  return { rows, computed: rows * length, copied: 0 };
}

const tokens = (count: number): number[] => Array.from({ length: count }, () => 0);

/** The sizes of a run. `room` is that for keys and values. */
export function runShape(
  model: PlannedModel,
  config: RunConfig,
  room: CacheRoom,
  backend: PlannedBackend,
): RunShape {
  const promptTokens = model.promptTokens ?? guessedPrompt(config);
  const { maxTokens, rolloutsPerProblem } = config;
  const sequences = problemsInStep(config) * rolloutsPerProblem;
  const microBatchTokens = tokensAtOnce(model.config, config.microBatchTokens, backend);
  const { rows, computed, copied } = largestMicrobatch(
    promptTokens,
    { ...config, microBatchTokens },
    sequences,
    backend,
  );
  const generators = config.generatorPlacement === 'page' ? 1 : config.numGenerators;
  const share = (requests: number, samples: number): RunShape['decoding'] => {
    const asked = Math.ceil(requests / generators);
    const request = { promptIds: tokens(promptTokens), samples, seed: 0, step: 0, problem: 0 };
    const all = Array.from({ length: asked }, () => request);
    if (backend === 'webgpu') return cacheShape(all, maxTokens, room);
    const { kinds } = room;
    const { cachePrecision: precision } = config;
    const cacheBytes = room.pages * pageBytes(model.config, precision);
    const { slots, places, capacity } = batchSize(model.config, all, maxTokens, cacheBytes, precision);
    const pages = kinds.map((kind) => (slots + places) * pagesOf(positionsKept(kind, capacity)));
    return { slots, places, kinds, pages };
  };
  const training = share(problemsInStep(config), rolloutsPerProblem);
  const evaluation = share(config.evalSamples, config.passAtK);
  const grows = training.pages.some((count, kind) => count > (evaluation.pages[kind] ?? 0));
  // Evaluation comes first, and on a GPU what grows after it is given a little more.
  const grown = backend === 'webgpu' ? grownPages(training.pages, evaluation.pages, room) : training.pages;
  return {
    promptTokens,
    microBatchTokens: computed,
    copiedTokens: copied,
    headTokens: selectedRows(rows * maxTokens, backend),
    lastShare: (sequences % rows) / rows,
    positions: promptTokens + maxTokens + SPARE_POSITIONS,
    decoding: {
      slots: Math.max(training.slots, evaluation.slots),
      places: Math.max(training.places, evaluation.places),
      kinds: room.kinds,
      pages: grows ? grown : evaluation.pages,
    },
  };
}
