import { describe, expect, test } from 'vitest';
import { adapterLength, type LoraSettings } from '../model/lora.ts';
import { packedLength } from '../model/parameters.ts';
import { heldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { TINY_CONFIGS } from '../testing/tinyModels.ts';
import { poolOf, type WeightBytes } from './decoding/weights.ts';
import { WeightPublisher, type WeightReader } from './weightPublisher.ts';

const config = TINY_CONFIGS.gqa;
const poolFilledWith = (value: number): Float32Array => new Float32Array(packedLength(config)).fill(value);

/** Reads what it was sent only when it is told to. */
class SlowReader implements WeightReader {
  readonly sent: { version: number; weights: WeightBytes; read: () => void; done: Promise<void> }[] = [];

  setWeights(version: number, weights: WeightBytes): void {
    let read = (): void => undefined;
    const done = new Promise<void>((resolve) => (read = resolve));
    this.sent.push({ version, weights, read, done });
  }

  setAdapter(version: number, bytes: Uint8Array): void {
    this.setWeights(version, { precision: 'f32', bytes });
  }

  async doneWith(bytes: Uint8Array): Promise<void> {
    await Promise.all(this.sent.filter(({ weights }) => weights.bytes === bytes).map(({ done }) => done));
  }

  /** The first number of the n-th weights it was sent, as its bytes are now. */
  valueOf(n: number): number | undefined {
    const sent = this.sent[n];
    return sent && poolOf(config, sent.weights)[0];
  }
}

describe('WeightPublisher', () => {
  test('takes a copy at once, and writes no bytes again that someone has still to read', async () => {
    const [quick, slow] = [new SlowReader(), new SlowReader()];
    const publisher = new WeightPublisher({ config }, 'f32', [quick, slow], true, heldAlarms());
    const pool = poolFilledWith(1);
    await publisher.publish(1, pool);
    await publisher.publish(2, pool.fill(2));
    for (const { read } of quick.sent) read();
    expect([slow.valueOf(0), slow.valueOf(1)]).toEqual([1, 2]);

    let third = false;
    const publishing = publisher.publish(3, pool.fill(3)).then(() => (third = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(third).toBe(false);
    expect(slow.valueOf(0)).toBe(1);
    slow.sent[0]?.read();
    await publishing;
    expect(slow.sent.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect([slow.valueOf(1), slow.valueOf(2)]).toEqual([2, 3]);
    // No third buffer.
    expect(slow.sent[2]?.weights.bytes).toBe(slow.sent[0]?.weights.bytes);
    expect(slow.sent[0]?.weights.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  test('leaves bytes that are read for long to who reads them, and takes others', async () => {
    const alarms = heldAlarms();
    const hanging = new SlowReader();
    const publisher = new WeightPublisher({ config }, 'f32', [hanging], true, alarms);
    const pool = poolFilledWith(1);
    await publisher.publish(1, pool);
    await publisher.publish(2, pool.fill(2));
    const third = publisher.publish(3, pool.fill(3));
    await new Promise((resolve) => setImmediate(resolve));
    alarms.pass(1000);
    await third;
    expect([0, 1, 2].map((n) => hanging.valueOf(n))).toEqual([1, 2, 3]);
    hanging.sent[1]?.read();
    await publisher.publish(4, pool.fill(4));
    expect([0, 1, 2, 3].map((n) => hanging.valueOf(n))).toEqual([1, 4, 3, 4]);
  });

  test('where memory can not be shared, one buffer that readers copy from', async () => {
    const reader = new SlowReader();
    const publisher = new WeightPublisher({ config }, 'f16', [reader], false);
    await publisher.publish(1, poolFilledWith(1));
    reader.sent[0]?.read();
    await publisher.publish(2, poolFilledWith(2));
    expect(reader.sent[1]?.weights.bytes).toBe(reader.sent[0]?.weights.bytes);
    expect(reader.sent[1]?.weights.bytes.buffer).toBeInstanceOf(ArrayBuffer);
    expect(reader.valueOf(1)).toBe(2);
  });

  test('refuses a pool of another model, and goes on', async () => {
    const reader = new SlowReader();
    const publisher = new WeightPublisher({ config }, 'f32', [reader], true);
    const needed = packedLength(config);
    await expect(publisher.publish(1, new Float32Array(needed - 1))).rejects.toThrow(`needs ${needed}`);
    await publisher.publish(2, poolFilledWith(2));
    expect(reader.sent.map(({ version }) => version)).toEqual([2]);
  });

  test('publications keep their order though nobody waits for them', async () => {
    const reader = new SlowReader();
    const publisher = new WeightPublisher({ config }, 'f32', [reader], true);
    await Promise.all([1, 2].map((version) => publisher.publish(version, poolFilledWith(version))));
    expect(reader.sent.map(({ version }) => version)).toEqual([1, 2]);
    expect([reader.valueOf(0), reader.valueOf(1)]).toEqual([1, 2]);
  });

  describe('under LoRA', () => {
    const lora: LoraSettings = { rank: 2, alpha: 2, targets: ['o_proj'] };
    const factorsFilledWith = (value: number): Float32Array =>
      new Float32Array(adapterLength(config, lora)).fill(value);
    const numbersOf = ({ bytes }: WeightBytes): Float32Array =>
      new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);

    test.each([true, false])(
      'factors take turns and no base is written over (shared: %s)',
      async (shared) => {
        const reader = new SlowReader();
        const publisher = new WeightPublisher({ config, lora }, 'f16', [reader], shared);
        await publisher.publish(0, poolFilledWith(1 / 3));
        expect(publisher.handedOverBytes).toBe(4 * packedLength(config));
        const factors = factorsFilledWith(0);
        for (const version of [1, 2, 3]) {
          reader.sent.at(-1)?.read();
          reader.sent.at(-2)?.read();
          await publisher.publishAdapter(version, factors.fill(version));
          expect(publisher.handedOverBytes).toBe(4 * factors.length);
          expect(numbersOf(reader.sent.at(-1)?.weights as WeightBytes)).toEqual(factors);
        }
        const [base, first, second, third] = reader.sent.map(({ weights }) => weights);
        // In f32 though generators hold halves.
        expect(base).toMatchObject({ precision: 'f32' });
        expect(numbersOf(base as WeightBytes)).toEqual(poolFilledWith(1 / 3));
        expect(third?.bytes).toBe(first?.bytes);
        expect(second?.bytes === first?.bytes).toBe(!shared);
        expect(first?.bytes.buffer instanceof SharedArrayBuffer).toBe(shared);
        expect(first?.bytes).toHaveLength(4 * factors.length);

        await publisher.publish(4, poolFilledWith(2));
        expect(numbersOf(base as WeightBytes)).toEqual(poolFilledWith(1 / 3));
        expect(numbersOf(reader.sent.at(-1)?.weights as WeightBytes)).toEqual(poolFilledWith(2));
      },
    );

    test('base and factors keep their order though nobody waits for them', async () => {
      const reader = new SlowReader();
      const publisher = new WeightPublisher({ config, lora }, 'f32', [reader], true);
      await Promise.all([
        publisher.publish(0, poolFilledWith(1)),
        publisher.publishAdapter(1, factorsFilledWith(1)),
        publisher.publish(2, poolFilledWith(2)),
        publisher.publishAdapter(3, factorsFilledWith(3)),
      ]);
      expect(reader.sent.map(({ version }) => version)).toEqual([0, 1, 2, 3]);
    });

    test('refuses factors of another adapter, and any where there is no LoRA', async () => {
      const reader = new SlowReader();
      const needed = adapterLength(config, lora);
      const publisher = new WeightPublisher({ config, lora }, 'f32', [reader], true);
      await expect(publisher.publishAdapter(1, new Float32Array(needed + 1))).rejects.toThrow(
        `need ${needed}`,
      );
      const without = new WeightPublisher({ config }, 'f32', [reader], true);
      await expect(without.publishAdapter(1, factorsFilledWith(1))).rejects.toThrow('without LoRA');
      expect(reader.sent).toEqual([]);
    });
  });
});
