import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { zeros } from './zeros.ts';

export function zerosSuite(): void {
  describe('zeros', () => {
    test.each([1, 63, 1025, 200_003])(
      '%i of them, in memory that held other numbers before',
      async (length) => {
        // What is freed is handed out again.
        tf.fill([length], 7).dispose();
        const found = zeros(length);
        expect(await found.data()).toEqual(new Float32Array(length));
        found.dispose();
      },
    );
  });
}
