/** The engine API in the page's console: loaded when asked for, and a loop of one's own learns with Web Workers as generators. */
import { snippetsOf } from '@rl-playground/base/testing/snippets';
import { expect, test } from './fixtures.ts';
import { snapshotOf } from './page.ts';

test('a few lines in the console raise the log-probabilities of what was rewarded, and so does the snippet of the documentation', async ({
  page,
  openPage,
}) => {
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(new URL(request.url()).pathname));
  await openPage();
  const chunk = /\/pageEngine-[^/]*\.js$/;
  expect(scripts.filter((path) => chunk.test(path))).toEqual([]);

  const outcome = await page.evaluate(async () => {
    if (window.rlPlayground === undefined) throw new Error('The engine is not there yet.');
    const { engine, task, tf, dispose } = await window.rlPlayground.createEngine({
      settings: { seed: 3, numGenerators: 2 },
    });
    const digits = task('reverse_digits');
    const problems = Array.from({ length: 4 }, (_, i) => digits.problem(i));
    const sample = (step: number) =>
      engine.sample(
        problems.map((problem, i) => ({
          promptIds: digits.promptIds(problem),
          samples: 4,
          seed: 3,
          step,
          problem: i,
        })),
        { maxTokens: 32 },
      );
    const first = await sample(1);
    const sequences = (
      await Promise.all(
        problems.map(async (problem, i) => {
          const completions = first[i]?.completions ?? [];
          const rewards = await digits.score(problem, completions);
          return completions.map(({ tokens, logprobs }, k) => ({
            promptIds: digits.promptIds(problem),
            tokens,
            samplerLogprobs: logprobs,
            advantages: tokens.map(() => (rewards[k]?.correct === true ? 1 : 0)),
          }));
        }),
      )
    ).flat();
    const { loss, logprobs: before } = await engine.forwardBackward(sequences, ({ logprob, advantage }) =>
      tf.neg(tf.sum(tf.mul(logprob, advantage))),
    );
    const { gradNorm } = await engine.optimStep(1e-4);
    const version = await engine.saveWeightsForSampler();
    const second = await sample(1);
    const { logprobs: after } = await engine.computeLogprobs(sequences);
    dispose();
    const rewarded = (values: readonly Float32Array[]): number =>
      values.reduce(
        (sum, row, i) =>
          sum + row.reduce((all, value, t) => all + value * (sequences[i]?.advantages[t] ?? 0), 0),
        0,
      );
    const gaps = sequences.flatMap(({ samplerLogprobs }, i) =>
      samplerLogprobs.map((value, t) => Math.abs(value - (before[i]?.[t] ?? NaN))),
    );
    return {
      sequences: sequences.length,
      correct: sequences.filter(({ advantages }) => advantages[0] === 1).length,
      version,
      versions: [first, second].map((groups) => groups.map(({ policyVersion }) => policyVersion)),
      loss,
      gradNorm,
      before: rewarded(before),
      after: rewarded(after),
      gap: Math.max(...gaps),
    };
  });

  expect(outcome).toMatchObject({
    sequences: 16,
    version: 1,
    versions: [Array(4).fill(0), Array(4).fill(1)],
  });
  expect(outcome.correct).toBeGreaterThan(0);
  expect(outcome.loss).toBeCloseTo(-outcome.before, 3);
  expect(outcome.gradNorm).toBeGreaterThan(0);
  expect(outcome.after).toBeGreaterThan(outcome.before);
  expect(outcome.gap).toBeLessThan(1e-4);
  expect(scripts.filter((path) => chunk.test(path))).toHaveLength(1);
  expect((await snapshotOf(page)).phase).toBe('idle');

  const [code = '', ...others] = snippetsOf('engine.md', 'console');
  expect(others).toEqual([]);
  const [[documented] = []]: unknown[][] = await page.evaluate(`(async () => {
    const lines = [];
    const console = { log: (...values) => lines.push(values) };
    ${code}
    return lines;
  })()`);
  expect(documented).toMatchObject({ version: 1, sampledBy: 1 });
  const { gained } = documented as { gained: number };
  expect(gained).toBeGreaterThan(0);
});
