import { afterEach, expect, test, vi } from 'vitest';
import { DEADLINE } from '@rl-playground/base/deadline';
import { heldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { GeneratorWorker } from './generatorWorker.ts';
import type { StartMessage } from './protocol.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([0, 200, 2000])(
  'a worker that hangs at a stop is replaced, in a page whose alarms ring %i ms late',
  async (late) => {
    let spawned = 0;
    vi.stubGlobal(
      'Worker',
      class {
        constructor() {
          spawned++;
        }
        postMessage(): void {}
        terminate(): void {}
      },
    );
    const alarms = heldAlarms();
    const timers = { ...alarms, after: (ms: number, ring: () => void) => alarms.after(ms + late, ring) };
    const worker = new GeneratorWorker({} as StartMessage, DEADLINE, timers);
    const stop = new AbortController();
    const request = { promptIds: [1], samples: 1, seed: 0, step: 0, problem: 0 };
    const sampling = { temperature: 1, topP: 1, topK: 0, maxTokens: 4, stop: [] };
    const answer = worker.generate([request], sampling, { signal: stop.signal });
    stop.abort(new Error('enough'));
    alarms.pass(1500 + 4 * late);
    await expect(answer).rejects.toThrow('enough');
    expect(spawned).toBe(2);
    worker.dispose();
  },
);
