/** The parts `sampler` and `run`: what sampler and trainer make of the same tokens on this GPU, and a default run. */
import { greatest, mean } from '@rl-playground/base/statistics';
import type { Part, PartTask } from './budget.ts';
import { withoutPage, type Setup } from './setup.ts';
import { trainedRun } from './trainedRun.ts';

/**
 * The largest difference of a token’s log-probability, in nats. Sums of some hundred f32 in another order differ by 1e-5; lanes of a
 * subgroup that had parted gave 0.3 and more.
 */
const MOST_DIFFERENCE = 1e-3;

const SMALL_STEP = ['problemsPerStep=2', 'rolloutsPerProblem=2', 'evalSamples=2', 'numGenerators=1'];

async function compare(setup: Setup, name: string, words: readonly string[], task: PartTask): Promise<void> {
  const size = setup.rehearse ? ['--num-steps', '1', ...SMALL_STEP] : ['--num-steps', '4', 'evalSamples=2'];
  const { metrics } = await trainedRun(['--task', 'sum_digits', ...size, ...words], task.signal);
  const value = greatest(metrics.flatMap(({ mismatchMax }) => mismatchMax ?? []));
  if (value === null) return;
  const tokens = metrics.reduce((sum, { mismatchTokens }) => sum + (mismatchTokens ?? 0), 0);
  const shape = `${name}, ${tokens} tokens`;
  task.emit({ name: 'largest difference', shape, value, unit: 'nats', bound: MOST_DIFFERENCE });
}

export const samplerPart = (setup: Setup): Part => ({
  name: 'sampler',
  purpose: 'log-probabilities of sampled tokens against the trainer’s',
  seconds: 35,
  hindrance: () => withoutPage(setup),
  async run(task) {
    await compare(setup, 'all weights', [], task);
    await compare(setup, 'LoRA beside a frozen base', ['loraRank=8'], task);
  },
});

export const runPart = (setup: Setup): Part => ({
  name: 'run',
  purpose: 'a default run: seconds and final accuracy',
  seconds: 60,
  hindrance: () => withoutPage(setup),
  async run({ signal, emit }) {
    const size = setup.rehearse
      ? ['--num-steps', '2', ...SMALL_STEP]
      : ['--num-steps', '150', 'evalSamples=300'];
    const { metrics, result } = await trainedRun(['--task', 'reverse_digits', ...size], signal);
    const shape = `reverse_digits, ${metrics.length} steps`;
    if (metrics.length > 0)
      emit({ name: 'a step', shape, value: mean(metrics.map(({ seconds }) => seconds)), unit: 's' });
    if (result === null) return;
    const { wallSeconds, evalBefore, evalAfter } = result;
    emit({ name: 'the run', shape, value: wallSeconds, unit: 's' });
    const note = `${(100 * evalBefore.greedy.accuracy).toFixed(1)} % before`;
    emit({ name: 'greedy accuracy', shape, value: 100 * evalAfter.greedy.accuracy, unit: '%', note });
  },
});
