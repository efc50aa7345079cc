/** What the device itself can do: the rates that rows are compared with. */
import { perSecond, type CeilingName, type Plan } from '../plan.ts';

const nothingToCompare = (): null => null;

/** The workload's `seconds` are those of a thousand million operations, or bytes. */
export const CEILING_PLANS: Readonly<Record<CeilingName, Plan>> = {
  'multiply-add': {
    workload: { kind: 'ceiling', what: 'multiply-add' },
    peers: [],
    agreement: nothingToCompare,
    rows: [
      {
        name: 'ceiling: multiply-add',
        shape: 'f32 vectors in registers',
        unit: 'GFLOP/s',
        value: perSecond(1),
        target: {},
      },
    ],
  },
  copy: {
    workload: { kind: 'ceiling', what: 'copy' },
    peers: [],
    agreement: nothingToCompare,
    rows: [
      {
        name: 'ceiling: copy',
        shape: 'bytes read and written',
        unit: 'GB/s',
        value: perSecond(1),
        target: {},
      },
    ],
  },
};
