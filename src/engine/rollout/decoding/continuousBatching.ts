/**
 * Continuous batching (Orca, Yu et al. 2022), for every decoder. It decides how many rows are decoded together, which completions are in
 * which slot, and which enter where one has ended. A prompt has a place of its own from when its group's first sample enters until the
 * last one has ended, so that it is prefilled once. These decisions change the time only, never a token.
 */
import { FRESH_TEXT, STOPPED, type StopMatcher } from './stopStrings.ts';
import type { DecodeOptions } from './decoder.ts';
import type { GroupRequest, SampledCompletion, SamplingProgress } from './types.ts';
import type { CachePrecision } from '../../kernels/decode/index.ts';
import { MAX_SLOTS } from '../../kernels/decode/rows.ts';
import type { ModelConfig } from '../../model/config.ts';
import { positionsKept } from '../../model/layerAttention.ts';

/** A completion that is being sampled. */
export interface Row {
  readonly request: GroupRequest;
  readonly group: number;
  readonly sample: number;
  /** The slot of its own keys and values, until it has ended. */
  readonly slot: number;
  /** The place of its prompt's keys and values. */
  readonly place: number;
  readonly tokens: number[];
  readonly logprobs: number[];
  /** The state of `StopMatcher` after its text: how much of a stop string the text ends with. */
  textState: number;
  stopReason: 'eos' | 'stop' | 'max_tokens' | null;
}

export interface PromptEntry {
  readonly request: GroupRequest;
  readonly place: number;
}

/** The work that enters: prompts to prefill, and rows, some of which may belong to prompts that are there already. */
export interface Entry {
  readonly prompts: readonly PromptEntry[];
  readonly rows: readonly Row[];
}

/** Hands out numbers from 0 up, the lowest free one first. */
class Places {
  readonly #taken: boolean[] = [];

  take(): number {
    const free = this.#taken.indexOf(false);
    const place = free < 0 ? this.#taken.length : free;
    this.#taken[place] = true;
    return place;
  }

  release(place: number): void {
    this.#taken[place] = false;
  }
}

interface Group {
  readonly request: GroupRequest;
  readonly rows: Row[];
  place: number;
  ended: number;
  /** The completions, once the last of the group's rows has ended. */
  completions: SampledCompletion[] | null;
}

export class ContinuousBatch {
  readonly #groups: readonly Group[];
  readonly #maxTokens: number;
  readonly #stopTokens: ReadonlySet<number>;
  readonly #matcher: StopMatcher | null;
  readonly #onGroup: DecodeOptions['onGroup'];
  readonly #slots: number;
  readonly #freeSlots = new Places();
  readonly #freePlaces = new Places();
  readonly #active = new Set<Row>();
  #nextGroup = 0;
  #tokens = 0;
  #ended = 0;
  readonly total: number;

  /** Keeps at most `slots` rows active at a time. */
  constructor(
    requests: readonly GroupRequest[],
    maxTokens: number,
    stopTokens: ReadonlySet<number>,
    slots: number,
    matcher: StopMatcher | null = null,
    onGroup?: DecodeOptions['onGroup'],
  ) {
    this.#groups = requests.map((request) => ({ request, rows: [], place: -1, ended: 0, completions: null }));
    this.#maxTokens = maxTokens;
    this.#stopTokens = stopTokens;
    this.#slots = slots;
    this.#matcher = matcher;
    this.#onGroup = onGroup;
    this.total = requests.reduce((sum, { samples }) => sum + samples, 0);
  }

  /** Rows that have entered and not ended, in order of entry. */
  get active(): ReadonlySet<Row> {
    return this.#active;
  }

  get progress(): SamplingProgress {
    const [longest] = this.#active;
    return {
      tokens: this.#tokens,
      finished: this.#ended,
      total: this.total,
      underWay: longest?.tokens,
    };
  }

  /** Fills the free slots with samples, in the order of the groups, until `mayEnter` refuses one. */
  admit(mayEnter: (row: Row) => boolean = () => true): Entry {
    const prompts: PromptEntry[] = [];
    const rows: Row[] = [];
    while (this.#active.size < this.#slots) {
      const group = this.#groups[this.#nextGroup];
      if (!group) break;
      const sample = group.rows.length;
      if (sample === group.request.samples) {
        if (sample === 0) this.#complete(group, this.#nextGroup);
        this.#nextGroup++;
        continue;
      }
      if (sample === 0) group.place = this.#freePlaces.take();
      const row: Row = {
        request: group.request,
        group: this.#nextGroup,
        sample,
        slot: this.#freeSlots.take(),
        place: group.place,
        tokens: [],
        logprobs: [],
        textState: FRESH_TEXT,
        stopReason: null,
      };
      if (!mayEnter(row)) {
        this.#freeSlots.release(row.slot);
        if (sample === 0) this.#freePlaces.release(group.place);
        break;
      }
      if (sample === 0) prompts.push({ request: group.request, place: group.place });
      group.rows.push(row);
      this.#active.add(row);
      rows.push(row);
    }
    return { prompts, rows };
  }

  /** Gives an active row its next token. A stop token, a stop string or the end of its budget ends the row; the reason is returned, or null. */
  append(row: Row, token: number, logprob: number): Row['stopReason'] {
    row.tokens.push(token);
    row.logprobs.push(logprob);
    this.#tokens++;
    if (this.#matcher) row.textState = this.#matcher.after(row.textState, token);
    if (this.#stopTokens.has(token)) row.stopReason = 'eos';
    else if (row.textState === STOPPED) row.stopReason = 'stop';
    else if (row.tokens.length >= this.#maxTokens) row.stopReason = 'max_tokens';
    else return null;
    this.#ended++;
    this.#active.delete(row);
    this.#freeSlots.release(row.slot);
    const group = this.#groups[row.group];
    if (group && ++group.ended === group.request.samples) {
      this.#freePlaces.release(group.place);
      this.#complete(group, row.group);
    }
    return row.stopReason;
  }

  #complete(group: Group, index: number): void {
    group.completions = completionsOf(group);
    this.#onGroup?.(index, group.completions);
  }

  results(): SampledCompletion[][] {
    return this.#groups.map((group) => group.completions ?? completionsOf(group));
  }
}

function completionsOf({ rows }: Group): SampledCompletion[] {
  return rows.map(({ tokens, logprobs, stopReason }) => ({
    tokens,
    logprobs,
    stopReason: stopReason ?? 'error',
  }));
}

/** Lengths are rounded up to multiples of this step, so that few buffer sizes ever exist. */
const LENGTH_STEP = 16;
/** The default bytes of keys and values of one generator. */
export const CACHE_BYTES = 2 ** 30;

export const roundUp = (length: number): number => Math.ceil(length / LENGTH_STEP) * LENGTH_STEP;

/** The bytes of the keys and values that a sequence of so many positions keeps. */
function keptBytes(
  { attention, kvHeads, headDim }: ModelConfig,
  length: number,
  precision: CachePrecision,
): number {
  const positions = attention.reduce((sum, layer) => sum + positionsKept(layer, length), 0);
  return positions * 2 * kvHeads * headDim * (precision === 'f16' ? 2 : 4);
}

export interface BatchSize {
  readonly slots: number;
  readonly places: number;
  /** The length of the longest prompt, rounded up. */
  readonly promptLength: number;
  /** The length of the longest prompt plus completion, rounded up: every slot and every place has room for it. */
  readonly capacity: number;
}

/**
 * The size of a batch of `HostDecoder`: at most `MAX_SLOTS` rows, because more gain little once each weight that is read serves many.
 * `cacheBytes` is the limit for the keys and values of all slots and places.
 */
export function batchSize(
  config: ModelConfig,
  requests: readonly GroupRequest[],
  maxTokens: number,
  cacheBytes = CACHE_BYTES,
  precision: CachePrecision = 'f32',
): BatchSize {
  const total = requests.reduce((sum, { samples }) => sum + samples, 0);
  const promptLength = roundUp(Math.max(1, ...requests.map(({ promptIds }) => promptIds.length)));
  const capacity = roundUp(promptLength + maxTokens);
  const affordable = Math.floor(cacheBytes / keptBytes(config, capacity, precision));
  const besidePlaces = Math.max(Math.floor(affordable / 2), affordable - requests.length);
  const slots = Math.max(1, Math.min(MAX_SLOTS, total, besidePlaces));
  return { slots, places: Math.max(1, Math.min(slots, requests.length)), promptLength, capacity };
}
