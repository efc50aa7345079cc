/** Reads TRL's `generation_kwargs`: more of what transformers or vLLM is told when it writes answers. It goes before the keys beside it. */
import { ALL_NAMES } from '@rl-playground/run/settings';
import { KeyReader } from './reader.ts';
import { GENERATION_KEYS, generationReason } from './reasons.ts';

/** The keys that are settings here, which the other systems call the same. */
const SETTINGS = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['min_p', 'minP'],
  ['repetition_penalty', 'repetitionPenalty'],
] as const;

const KNOWN = [...SETTINGS.map(([key]) => key), ...GENERATION_KEYS, ...ALL_NAMES];
/** Larger than any setting; the settings' own bounds are checked with all others. */
const ANY = { min: -1e9, max: 1e9 };

export function readGeneration(reader: KeyReader): void {
  const tree = reader.tree('generation_kwargs');
  if (tree === undefined) return;
  const inner = new KeyReader(tree, 'generation_kwargs.', reader.account);
  for (const [key, setting] of SETTINGS) {
    const value = inner.number(key, ANY);
    if (value === undefined) continue;
    reader.idle(key, reader.value(key), `generation_kwargs.${key} is given, which goes first`);
    // The -1 of vLLM is no bound.
    inner.put(key, setting, key === 'top_k' && value === -1 ? 0 : value);
  }
  for (const key of inner.unread())
    inner.ignore(key, generationReason(key) ?? reader.account.notKnown(key, KNOWN));
}
