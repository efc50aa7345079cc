/**
 * The rounds of a batch: several tokens of every row between two readbacks. The next round is submitted before the previous one's results
 * have arrived.
 */
import { MAX_SLOTS, NOT_FINITE, OUTPUT_WORDS } from '../../kernels/decode/index.ts';
import type { ContinuousBatch, Row } from '../decoding/continuousBatching.ts';
import type { DecodeOptions } from '../decoding/decoder.ts';
import { notFiniteError } from '../decoding/sampler.ts';
import type { GpuBatch } from './batch.ts';
import type { ReadbackRing } from './buffers.ts';
import { OUTPUT_STEPS, ROUND_TOKENS } from './sizes.ts';
import type { Pace } from './commands.ts';
import type { PagedCache } from './pagedCache.ts';

export interface Round {
  readonly rows: ReadonlyMap<number, Row>;
  readonly words: Promise<Uint32Array>;
}

interface Running {
  readonly batch: GpuBatch;
  readonly cache: PagedCache;
  readonly schedule: ContinuousBatch;
  readonly maxTokens: number;
  /** The rounds whose results have not arrived. Their buffers can't be used again before that. */
  readonly rounds: Round[];
  readonly readbacks: ReadbackRing;
  readonly pace: Pace;
}

/** Decodes until nothing is left to enter and every row has ended. */
export async function runRounds(
  { batch, cache, schedule, maxTokens, rounds, readbacks, pace }: Running,
  { signal, onProgress, breathe }: DecodeOptions,
): Promise<void> {
  /** The submitted tokens of each active row, and the number of its own keys that have a page. */
  const submitted = new Map<Row, { tokens: number; room: number }>();
  for (;;) {
    signal?.throwIfAborted();
    const entry = schedule.admit((row) => cache.enter(row));
    for (const row of entry.rows) submitted.set(row, { tokens: 0, room: 0 });
    if (entry.prompts.length > 0) await batch.prefill(entry.prompts);
    const wanting = [...submitted].filter(([, { tokens }]) => tokens < maxTokens);
    /** The number of tokens of the longest row in this round, without the first token of fresh rows. */
    let longest = 0;
    for (const [row, state] of wanting) {
      const from = Math.max(state.tokens, 1);
      const wanted = Math.min(maxTokens, from + ROUND_TOKENS);
      const room = cache.extend(row, from, wanted - 1);
      if (state.tokens > 0 && room > state.room) batch.setRoom(row, room);
      const to = Math.min(wanted, room + 1);
      longest = Math.max(longest, to - from);
      Object.assign(state, { tokens: to, room });
    }
    batch.writePages();
    for (const row of entry.rows) batch.enter(row, submitted.get(row)?.room ?? 0, maxTokens);
    const fresh = entry.rows.length;
    if (fresh > 0 || longest > 0) {
      const readback = readbacks.next();
      await batch.submitRound(fresh, longest, wanting.length, readback);
      rounds.push({ rows: new Map(wanting.map(([row]) => [row.slot, row])), words: readback.read() });
      if (rounds.length < pace.roundsAhead) continue;
    }
    const [oldest] = rounds;
    if (!oldest) break;
    const words = await oldest.words;
    rounds.shift();
    // A row that enters a slot anew is written after this, so it stays.
    batch.retire(deliver(oldest, words, schedule));
    for (const row of submitted.keys()) {
      if (row.stopReason === null) continue;
      submitted.delete(row);
      cache.leave(row);
    }
    onProgress?.(schedule.progress);
    await breathe();
  }
  if (schedule.active.size > 0)
    throw new Error(`The GPU left ${schedule.active.size} completions unfinished; its device may be lost.`);
}

/**
 * Gives the tokens of a round to their rows, in the order of its steps. Returns the rows that a stop string has ended: the GPU does not
 * know of it, and the tokens that it drew for them since are dropped.
 */
function deliver({ rows }: Round, words: Uint32Array, schedule: ContinuousBatch): Row[] {
  const logprobs = new Float32Array(words.buffer);
  const stopped: Row[] = [];
  for (let step = 0; step < OUTPUT_STEPS; step++) {
    for (const [slot, row] of rows) {
      const at = (step * MAX_SLOTS + slot) * OUTPUT_WORDS;
      const code = words[at] as number;
      if (code === 0 || row.stopReason !== null) continue;
      if (code === NOT_FINITE) throw notFiniteError();
      const end = schedule.append(row, code - 1, logprobs[at + 1] as number);
      if (end === 'stop') stopped.push(row);
    }
  }
  return stopped;
}
