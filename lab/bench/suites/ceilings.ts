/** Measures the device itself: the figures with which rows are compared. */
import { oursAlone, perSecond, type CeilingName, type Plan, type SuiteContext } from '../plan.ts';
import type { CeilingWorkload, Sample } from '../types.ts';

/** The side of the square product that shows the best rate of our own kernels. */
const SOFTWARE_SIDE = 512;
const HARDWARE_SIDE = 2048;

function devicePlan(
  what: CeilingWorkload['what'],
  shape: string,
  unit: string,
  value: (sample: Sample) => number,
): Plan {
  return oursAlone({ kind: 'ceiling', what }, [{ name: `ceiling: ${what}`, shape, unit, value }]);
}

export function ceilingPlan(name: CeilingName, { software }: SuiteContext): Plan {
  switch (name) {
    case 'multiply-add':
      return devicePlan(name, 'f32 vectors in registers', 'GFLOP/s', perSecond(1));
    case 'copy':
      return devicePlan(name, 'bytes read and written', 'GB/s', perSecond(1));
    case 'dispatch':
      return devicePlan(name, 'one more in an open pass', 'µs', ({ seconds }) => seconds * 1e6);
    case 'product': {
      const side = software ? SOFTWARE_SIDE : HARDWARE_SIDE;
      return oursAlone({ kind: 'gemm', layout: 'nn', m: side, n: side, k: side }, [
        {
          name: 'ceiling: our product',
          shape: `${side} x ${side} x ${side}`,
          unit: 'GFLOP/s',
          value: perSecond((2 * side ** 3) / 1e9),
        },
      ]);
    }
  }
}
