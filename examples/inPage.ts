/** `minimalLoop.ts` in a page: `?model=./starter&steps=2`, and `&loss=custom` for the loss that it writes out. */
import { minimalLoop } from './minimalLoop.ts';

const asked = new URLSearchParams(location.search);
const said = document.querySelector<HTMLElement>('#said');
const say = (line: string): void => said?.append(`${line}\n`);

minimalLoop({
  model: asked.get('model') ?? './starter',
  steps: Number(asked.get('steps') ?? 20),
  loss: asked.get('loss') === 'custom' ? 'custom' : 'grpo',
  seed: 0,
  say,
}).then(
  () => say('done'),
  (error: unknown) => say(`failed: ${error instanceof Error ? error.message : String(error)}`),
);
