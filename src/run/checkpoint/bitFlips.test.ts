/** A checkpoint with one bit changed is refused, or says what it said. */
import { beforeAll, describe, expect, it } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { ModelFileError } from '@rl-playground/engine/parts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { tinyCheckpointParts } from '../testing/tinyCheckpoint.ts';
import { TODAY } from '@rl-playground/base/testing/today';
import { readZippedCheckpoint, writeCheckpoint } from '../testing/zips.ts';

/** Other bits every day. */
const FLIPS = everyProof ? 1000 : 120;
const LOCAL_HEADER = 0x04034b50;
const END = 22;

let bytes: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  bytes = await writeCheckpoint(await tinyCheckpointParts());
});

/** Bytes of headers and directory, which are few beside those of the files. */
function structure(): number[] {
  const view = new DataView(bytes.buffer);
  const directory = view.getUint32(bytes.length - END + 16, true);
  const places = Array.from({ length: bytes.length - directory }, (_, i) => directory + i);
  for (let at = 0; at + 30 < directory; at++) {
    if (view.getUint32(at, true) !== LOCAL_HEADER) continue;
    const length = 30 + view.getUint16(at + 26, true);
    places.push(...Array.from({ length }, (_, i) => at + i));
  }
  return places;
}

describe(`single bits, seed ${TODAY}`, () => {
  it(`of which ${FLIPS} are changed, half of them in what holds the files together`, async () => {
    const places = structure();
    const counts = { refused: 0, same: 0 };
    for (let i = 0; i < FLIPS; i++) {
      const draw = drawsFor(TODAY, i);
      const place = Math.floor(draw() * (i % 2 === 0 ? places.length : bytes.length));
      const at = i % 2 === 0 ? (places[place] ?? 0) : place;
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(8 * draw()));
      const read = await readZippedCheckpoint(changed).catch((error: unknown) => {
        if (!(error instanceof ModelFileError)) throw error;
        return null;
      });
      if (read === null) counts.refused++;
      else {
        counts.same++;
        expect(Buffer.compare(await writeCheckpoint(read), bytes), `byte ${at}`).toBe(0);
      }
    }
    expect(counts.refused + counts.same).toBe(FLIPS);
    expect(counts.refused).toBeGreaterThan(FLIPS / 2);
  });
});
