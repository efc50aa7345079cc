/** Changes of settings that make a run fit: each way takes as many of its steps as are needed, the least painful first. */
import { parseConfig } from '../settings/check.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { PlanAdvice } from './types.ts';

interface Change {
  readonly words: string;
  /** The settings of the change, or null if the run has them already. */
  readonly settings: (config: RunConfig) => Partial<RunConfig> | null;
}

const lora: Change = {
  words: 'train an adapter (LoRA of rank 32) in place of all weights',
  settings: ({ loraRank }) => (loraRank > 0 ? null : { loraRank: 32, loraAlpha: 32 }),
};
const oneGenerator: Change = {
  words: 'one generator',
  settings: ({ numGenerators }) => (numGenerators > 1 ? { numGenerators: 1 } : null),
};
const base = (baseFormat: RunConfig['baseFormat'], words: string): Change => ({
  words,
  settings: (config) => (config.loraRank > 0 && config.baseFormat !== baseFormat ? { baseFormat } : null),
});
const halves = base('16bit', 'the base in 16 bit');
const eightBit = base('q8', 'the base in 8 bit');
const fourBit = base('q4', 'the base in 4 bit');
const microBatch = (tokens: number): Change => ({
  words: `${tokens} tokens per micro-batch`,
  settings: ({ microBatchTokens }) => (microBatchTokens > tokens ? { microBatchTokens: tokens } : null),
});
const fewerQuestions: Change = {
  words: '20 evaluation problems, one try of each',
  settings: ({ evalSamples, passAtK }) =>
    evalSamples > 20 || passAtK > 1 ? { evalSamples: Math.min(evalSamples, 20), passAtK: 1 } : null,
};
const shortAnswers: Change = {
  words: 'answers of at most 128 tokens',
  settings: ({ maxTokens }) => (maxTokens > 128 ? { maxTokens: 128 } : null),
};
const smallGroups: Change = {
  words: '4 answers per problem',
  settings: ({ rolloutsPerProblem }) => (rolloutsPerProblem > 4 ? { rolloutsPerProblem: 4 } : null),
};
const onThePage: Change = {
  words: 'the generator on the page, with the trainer’s copy of the model',
  settings: ({ generatorPlacement, loraRank, schedule }) =>
    generatorPlacement === 'worker' && loraRank > 0 && schedule === 'sync'
      ? { generatorPlacement: 'page', numGenerators: 1 }
      : null,
};

const SMALLER_STEP = [
  microBatch(1024),
  microBatch(512),
  fewerQuestions,
  shortAnswers,
  smallGroups,
  microBatch(256),
];

/** The changes, from the one that is felt least to the one that is felt most. */
const WAYS: readonly (readonly Change[])[] = [
  [oneGenerator, ...SMALLER_STEP],
  [lora, oneGenerator, halves, ...SMALLER_STEP],
  [lora, oneGenerator, eightBit, ...SMALLER_STEP],
  [lora, oneGenerator, fourBit, ...SMALLER_STEP],
  [lora, oneGenerator, onThePage, halves, ...SMALLER_STEP],
  [lora, oneGenerator, onThePage, eightBit, ...SMALLER_STEP],
  [lora, oneGenerator, onThePage, fourBit, ...SMALLER_STEP],
];
const MOST_ADVICE = 3;

/** The changes with which a run fits, at most three. `fits` says whether a run of such settings does. */
export function adviceFor(config: RunConfig, fits: (config: RunConfig) => boolean): PlanAdvice[] {
  const found = new Map<string, PlanAdvice>();
  for (const way of WAYS) {
    const advice = firstThatFits(config, way, fits);
    if (advice)
      found.set(JSON.stringify(advice.settings), found.get(JSON.stringify(advice.settings)) ?? advice);
    if (found.size === MOST_ADVICE) break;
  }
  return [...found.values()];
}

function firstThatFits(
  config: RunConfig,
  way: readonly Change[],
  fits: (config: RunConfig) => boolean,
): PlanAdvice | null {
  let settings: Partial<RunConfig> = {};
  // A later change of the same settings takes the place of an earlier one.
  const words = new Map<string, string>();
  for (const change of way) {
    const more = change.settings({ ...config, ...settings });
    if (more === null) continue;
    settings = { ...settings, ...more };
    words.set(Object.keys(more).join(), change.words);
    const parsed = parseConfig({ ...config, ...settings });
    if (parsed.ok && fits(parsed.config)) return { text: sentence([...words.values()]), settings };
  }
  return null;
}

function sentence(words: readonly string[]): string {
  const [first = '', ...rest] = words;
  const last = rest.pop();
  const text = last === undefined ? first : `${[first, ...rest].join(', ')} and ${last}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
