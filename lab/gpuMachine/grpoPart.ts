/** The part `grpo`: steps of GRPO with LoRA on a real model, beside the same steps in transformers and peft on the same card. */
import { mean, median } from '@rl-playground/base/statistics';
import type { StepMetrics } from '@rl-playground/run/metrics';
import type { Part, PartTask } from './budget.ts';
import { runChild } from './child.ts';
import type { Row } from './rows.ts';
import { loraRun, loraSettings, smallModel, withoutPage, type Setup } from './setup.ts';
import { trainedRun } from './trainedRun.ts';

const PHASES = [
  ['ours: a step', 'seconds'],
  ['ours: sampling', 'secondsRollout'],
  ['ours: training', 'secondsTrain'],
] as const;

/** The mean lengths of prompts and answers, in whole tokens. */
function lengthsOf(
  steps: readonly StepMetrics[],
  answers: number,
): readonly [prompt: number, answer: number] {
  const prompt = mean(steps.map(({ meanPromptLength }) => meanPromptLength ?? 1));
  const answer = mean(steps.map(({ completionTokens }) => completionTokens / answers));
  return [Math.max(1, Math.round(prompt)), Math.max(1, Math.round(answer))];
}

/** Starts the program of the peer, whose lines are rows. Its prompts and answers are as long as ours were. */
async function peer(
  setup: Setup,
  python: string,
  [prompt, answer]: readonly [number, number],
  { signal, emit }: PartTask,
): Promise<void> {
  const { steps, problems, answers, rank } = loraRun(setup);
  const sizes = [problems, answers, prompt, answer, rank, steps].map(String);
  await runChild(['lab/gpuMachine/grpo_peer.py', smallModel(setup), ...sizes], {
    program: python,
    signal,
    environment: { PYTHONDONTWRITEBYTECODE: '1', HF_HUB_OFFLINE: '1' },
    onLine: (line) => emit(JSON.parse(line) as Row),
  });
}

export const grpoPart = (setup: Setup): Part => ({
  name: 'grpo',
  purpose: 'steps of GRPO of a real model beside transformers and peft on the same card',
  seconds: 80,
  hindrance: () =>
    withoutPage(setup) ?? (setup.model === null && !setup.rehearse ? 'it needs --model, a real one.' : null),
  async run(task) {
    const { problems, answers } = loraRun(setup);
    const words = ['--task', 'sum_digits', '--model', smallModel(setup), ...loraSettings(setup)];
    const { metrics } = await trainedRun(words, task.signal);
    const steps = metrics.slice(1);
    if (steps.length === 0) return;
    const lengths = lengthsOf(steps, problems * answers);
    const shape = `${problems} x ${answers} answers of ${lengths[1]} tokens behind ${lengths[0]}`;
    for (const [name, key] of PHASES)
      task.emit({ name, shape, value: median(steps.map((step) => step[key])), unit: 's' });
    const { python, place } = setup;
    if (python !== null && place.pythonLacks === null) await peer(setup, python, lengths, task);
    else task.emit({ name: 'transformers + peft', skipped: place.pythonLacks ?? '' });
  },
});
