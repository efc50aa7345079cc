/** `--join` on the command line of `npx rl-playground train`. */
import { expect, test } from 'vitest';
import { parseTrainArguments } from './trainArguments.ts';

test('a run may have no generators of its own, which its settings do not say', () => {
  const words = ['--join', 'nats://secret@lab:4222'];
  const address = { url: 'nats://lab:4222', token: 'secret', webSocket: false };
  expect(parseTrainArguments([...words, '--num-generators', '0'])).toMatchObject({
    config: { numGenerators: 2 },
    join: { address, local: false },
  });
  expect(parseTrainArguments(words)).toMatchObject({ join: { address, local: true } });
  const again = ['--resume', 'runs/gcd', ...words];
  expect(parseTrainArguments(again)).toMatchObject({ join: { address, local: true } });
  expect(parseTrainArguments([...again, '--num-generators', '0'])).toMatchObject({
    join: { address, local: false },
  });
  expect(parseTrainArguments([...again, '--num-generators', '1'])).toMatchObject({ exitCode: 2 });
  expect(parseTrainArguments(['--join', 'http://secret@lab'])).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining('nats://TOKEN@host:4222') as unknown,
  });
});
