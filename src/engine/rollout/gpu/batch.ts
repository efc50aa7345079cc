/** A batch on the GPU: its memory and prebuilt commands, and the five things that are done with it. */
import {
  LIST_HEADER_WORDS,
  LOGIT_NOISE_WORD,
  MIN_P_WORD,
  MAX_SLOTS,
  REPETITION_PENALTY_WORD,
  ROW_WORDS,
  SETTINGS_HEADER_WORDS,
  SLOT_ALIVE_WORD,
  SLOT_IDLE,
  SLOT_ROOM_WORD,
  SLOT_WORDS,
  writePrefillRow,
  writeSeen,
  writeSlot,
} from '../../kernels/decode/index.ts';
import { rowKey } from '../decoding/sampler.ts';
import type { PromptEntry, Row } from '../decoding/continuousBatching.ts';
import type { SamplingSettings } from '../decoding/types.ts';
import type { GpuBuffers, Readback } from './buffers.ts';
import { PREFILL_ROWS } from './sizes.ts';
import { CommandRecorder, type GpuCommands, type Pace } from './commands.ts';
import type { DecoderWeights } from './decoderWeights.ts';
import type { PagedCache } from './pagedCache.ts';

const FIRST_STEP_BYTE = 4;

interface BatchParts {
  readonly device: GPUDevice;
  readonly buffers: GpuBuffers;
  readonly commands: GpuCommands;
  readonly weights: DecoderWeights;
  readonly cache: PagedCache;
  readonly pace: Pace;
  /** The words of a slot for the bits of tokens that its row has read and written; 0 without a repetition penalty. */
  readonly seenWords: number;
}

/** The positions of each prompt that are among `count` of all tokens of prompts, from the `first` on. */
function positionsIn(
  prompts: readonly PromptEntry[],
  first: number,
  count: number,
): { readonly place: number; readonly from: number; readonly end: number }[] {
  let start = 0;
  return prompts.flatMap(({ place, request: { promptIds } }) => {
    const from = Math.max(0, first - start);
    const end = Math.min(promptIds.length, first + count - start);
    start += promptIds.length;
    return from < end ? [{ place, from, end }] : [];
  });
}

export class GpuBatch {
  readonly #parts: BatchParts;

  constructor(parts: BatchParts) {
    this.#parts = parts;
  }

  /** Makes every slot idle and sets the values that all rows share. */
  begin(slots: number, sampling: SamplingSettings, stopTokens: ReadonlySet<number>): void {
    const { queue } = this.#parts.device;
    queue.writeBuffer(this.#parts.buffers.slots, 0, new Uint32Array(MAX_SLOTS * SLOT_WORDS));
    queue.writeBuffer(this.#parts.buffers.bounds, 0, Uint32Array.of(slots, 0, 0, 0));
    const settings = new DataView(new ArrayBuffer((SETTINGS_HEADER_WORDS + stopTokens.size) * 4));
    settings.setFloat32(0, sampling.temperature, true);
    settings.setUint32(4, sampling.topK, true);
    settings.setFloat32(8, sampling.topP, true);
    settings.setUint32(12, stopTokens.size, true);
    settings.setFloat32(LOGIT_NOISE_WORD * 4, sampling.logitNoise ?? 0, true);
    settings.setFloat32(MIN_P_WORD * 4, sampling.minP ?? 0, true);
    settings.setFloat32(REPETITION_PENALTY_WORD * 4, sampling.repetitionPenalty ?? 1, true);
    [...stopTokens].forEach((token, i) => settings.setUint32((SETTINGS_HEADER_WORDS + i) * 4, token, true));
    queue.writeBuffer(this.#parts.buffers.settings, 0, settings);
  }

  /** Runs prompts through all layers, in parts. The first prefill with new weights copies the weights of each layer right before its work. */
  async prefill(prompts: readonly PromptEntry[]): Promise<void> {
    const rows = prompts.flatMap(({ request: { promptIds }, place }) =>
      promptIds.map((token, position) => {
        const last = position === promptIds.length - 1;
        return {
          token,
          position,
          promptPages: this.#parts.cache.promptEntry(place),
          place: last ? place : null,
        };
      }),
    );
    const { before, layers, after } = this.#parts.commands.prefill;
    for (let first = 0; first < rows.length; first += PREFILL_ROWS) {
      const part = rows.slice(first, first + PREFILL_ROWS);
      const inPart = positionsIn(prompts, first, part.length);
      for (const { place, from, end } of inPart) this.#parts.cache.prefill(place, from, end);
      this.writePages();
      const words = new Uint32Array(LIST_HEADER_WORDS + part.length * ROW_WORDS);
      words[0] = part.length;
      part.forEach((row, i) => writePrefillRow(words, i, row));
      this.#parts.device.queue.writeBuffer(this.#parts.buffers.list, 0, words);
      const recorder = new CommandRecorder(this.#parts.device, this.#parts.pace);
      await recorder.add(before, part.length);
      for (const [l, layer] of layers.entries()) {
        const news = this.#parts.weights.upload(
          (name) => !name.startsWith('model.layers.') || name.startsWith(`model.layers.${l}.`),
        );
        await recorder.add(layer, part.length);
        // The GPU begins with this layer while the next one's weights are copied.
        if (news) await recorder.submit();
      }
      await recorder.add(after, part.length);
      await recorder.submit();
      // What comes after them sees less of the prompts.
      for (const { place, end } of inPart) this.#parts.cache.prefill(place, end, end);
    }
  }

  writePages(): void {
    const { cache, buffers, device } = this.#parts;
    cache.news().forEach((table, kind) => {
      const buffer = buffers.pages[kind];
      if (table && buffer) device.queue.writeBuffer(buffer, 0, table);
    });
  }

  /** Lets a row in its slot go on until it has `room` keys of its own. */
  setRoom({ slot }: Row, room: number): void {
    const { queue } = this.#parts.device;
    queue.writeBuffer(
      this.#parts.buffers.slots,
      (slot * SLOT_WORDS + SLOT_ROOM_WORD) * 4,
      Uint32Array.of(room),
    );
  }

  /** Puts a fresh row, whose prompt has been prefilled, into its slot. */
  enter({ request, sample, slot, place }: Row, room: number, maxTokens: number): void {
    const words = new Uint32Array(SLOT_WORDS);
    writeSlot(words, 0, {
      promptPages: this.#parts.cache.promptEntry(place),
      promptLength: request.promptIds.length,
      ownPages: this.#parts.cache.ownEntry(slot),
      place,
      key: rowKey(request.seed, request.step, request.problem, sample),
      maxTokens,
      room,
    });
    const { queue } = this.#parts.device;
    queue.writeBuffer(this.#parts.buffers.slots, slot * SLOT_WORDS * 4, words);
    if (this.#parts.seenWords === 0) return;
    const seen = new Uint32Array(this.#parts.seenWords);
    writeSeen(seen, 0, request.promptIds);
    queue.writeBuffer(this.#parts.buffers.seen, slot * seen.byteLength, seen);
  }

  /** Ends rows that the GPU would continue. Rounds that have been submitted still write to their slots. */
  retire(rows: readonly Row[]): void {
    const idle = Uint32Array.of(SLOT_IDLE);
    for (const { slot } of rows)
      this.#parts.device.queue.writeBuffer(
        this.#parts.buffers.slots,
        (slot * SLOT_WORDS + SLOT_ALIVE_WORD) * 4,
        idle,
      );
  }

  /** Submits the first token of `fresh` rows, if there are any, and `tokens` more of at most `rows` rows, then the copy of the drawn tokens. */
  async submitRound(fresh: number, tokens: number, rows: number, readback: Readback): Promise<void> {
    const { list, output } = this.#parts.buffers;
    const { first, token } = this.#parts.commands;
    const recorder = new CommandRecorder(this.#parts.device, this.#parts.pace);
    recorder.encoder.clearBuffer(output);
    recorder.encoder.clearBuffer(list, FIRST_STEP_BYTE, 4);
    if (fresh > 0) await recorder.add(first, fresh);
    for (let i = 0; i < tokens; i++) await recorder.add(token, rows);
    readback.copyFrom(recorder.encoder, output);
    await recorder.submit();
  }
}
