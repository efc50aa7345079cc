import { expect, it, vi } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { FIRST_TASK } from '../../run/address/address.ts';

// The form's store reads the page's address as it is made.
vi.stubGlobal('window', { location: { search: '' } });
const { recorded, recordedArm } = await import('./play.ts');

it('is a whole run of what the page opens with', () => {
  expect(recorded.task).toBe(FIRST_TASK);
  expect(recorded.numSteps).toBe(defaultConfig(FIRST_TASK).numSteps);
  expect(recorded.steps.map(([step]) => step)).toEqual(
    Array.from({ length: recorded.numSteps }, (_, i) => i + 1),
  );
});

it('has the metrics that were recorded and no other', () => {
  const metrics = recordedArm().records[0]?.metrics ?? [];
  expect(metrics.map(({ step }) => step)).toEqual(recorded.steps.map(([step]) => step));
  const [, reward, accuracy] = recorded.steps[0] ?? [];
  expect(metrics[0]).toMatchObject({ reward, accuracy });
  expect(metrics[0]?.loss).toBeNull();
  expect(metrics[0]?.rewardStd).toBeNaN();
});
