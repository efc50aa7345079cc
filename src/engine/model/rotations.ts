/** The tables of the rotary embedding on the device, layer by layer; layers with an equal one share them. */
import * as tf from '../backend/tf.ts';
import type { Rotation } from '../kernels/index.ts';
import type { ModelConfig } from './config.ts';
import { byRope, ropeTables } from './rope.ts';

export class Rotations {
  readonly #tables: readonly Omit<Rotation, 'positions'>[];

  /** `positions` is the longest padded sequence. */
  constructor({ attention, headDim }: ModelConfig, positions: number) {
    const shape: [number, number] = [positions, headDim / 2];
    this.#tables = byRope(attention, (rope) => {
      const { cosines, sines } = ropeTables(headDim, rope, positions);
      return { cosines: tf.keep(tf.tensor2d(cosines, shape)), sines: tf.keep(tf.tensor2d(sines, shape)) };
    });
  }

  /** The rotation of a layer at `positions`, int32 [N]. */
  of(layer: number, positions: tf.Tensor): Rotation {
    const tables = this.#tables[layer];
    if (!tables) throw new Error(`There is no layer ${layer}.`);
    return { ...tables, positions };
  }

  dispose(): void {
    for (const { cosines, sines } of new Set(this.#tables)) tf.dispose([cosines, sines]);
  }
}
