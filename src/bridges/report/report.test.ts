import { describe, expect, it } from 'vitest';
import { defaultConfig, type RunConfig, configFromQuery } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import { recordedLesson } from '@rl-playground/run/testing/recordedLessons';
import { armsOf, type ReportRun } from './input.ts';
import { reportHtml } from './report.ts';
import { commandOf } from './text.ts';

const DATE = new Date('2026-03-04T00:00:00Z');
const [two, eight] = recordedLesson('group-size');
if (!two || !eight) throw new Error('The record lacks runs.');

const runOf = (record: typeof two, name: string, changes: Partial<RunConfig> = {}): ReportRun => ({
  name,
  config: { ...defaultConfig('reverse_digits'), ...changes },
  metrics: record.metrics,
  evaluations: record.evaluations,
  wallSeconds: 3725,
  note: '',
});

const HOSTILE = '</pre><script>alert(1)</script><img src=x onerror="alert(2)">';

/** Text that a browser could run or fetch, were it markup. */
const LIVE = /<script|<img|<iframe|<link|<object|<embed|<base|<form|\son\w+="[^"]*"[^&]*>/i;

describe('the report of a run', () => {
  const run = { ...runOf(two, 'calm fox', { learningRate: 1e-4 }), note: 'first try\nlower rate' };
  const text = reportHtml({ arms: armsOf([run]), page: 'https://example.org/rl/', date: DATE });

  it('says what it came to, with its intervals', () => {
    expect(text).toContain('<h1>Reverse digits with starter</h1>');
    expect(text).toContain('Run calm fox. A report of RL Playground, 2026-03-04.');
    const [first = ''] = /(?<=<section>)[^]*?(?=<\/p>)/.exec(text) ?? [];
    expect(first).toContain('Greedy accuracy on 100 held-out problems rose from 70.0% to 95.0% in 30 steps.');
    // 70 and 95 of 100: Wilson's 95 % intervals by hand.
    expect(text).toContain('70.0% (60.4% to 78.1%)');
    expect(text).toContain('95.0% (88.8% to 97.8%)');
    expect(text).toContain('+25.0 points');
    expect(text).toContain('1:02:05');
    expect(text).toContain('first try<br />lower rate');
  });

  it('says which settings differ, and how to make it again', () => {
    expect(text).toContain('<code>learningRate</code>');
    const link = /<a href="https:\/\/example\.org\/rl\/(\?[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    expect(configFromQuery(link ?? '').config).toEqual(run.config);
    expect(text).toContain('learning_rate=0.0001');
  });

  it('draws its metrics, and none that it does not have', () => {
    expect(text).toContain('Mixed groups');
    expect(text).not.toContain('Answer length');
    // Thirty steps: one move and 29 lines.
    const path = /class="thin" d="([^"]*)"/.exec(text)?.[1] ?? '';
    expect(path.match(/[ML]/g)).toHaveLength(30);
  });

  it('is one file that runs and fetches nothing', () => {
    expect(text).not.toMatch(LIVE);
    expect(text).not.toMatch(/\ssrc=|url\(|@import/);
    expect(
      text.match(/https?:\/\/[^"<\s]*/g)?.every((address) => address.startsWith('https://example.org/rl/')),
    ).toBe(true);
    expect(text).toContain(`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;"`);
  });
});

describe('hostile names and answers', () => {
  const spoiled = (evaluation: EvalResult): EvalResult => ({
    ...evaluation,
    tasks: [HOSTILE, 'b'].map((task) => ({ task, reward: 0, accuracy: 1, format: 1, n: 1, level: null })),
    samples: evaluation.samples.map((sample) => ({
      ...sample,
      task: HOSTILE,
      question: HOSTILE,
      answer: HOSTILE,
      text: `\u0000${HOSTILE}`,
      reward: { total: 1, parts: {}, reason: HOSTILE },
    })),
  });
  const run: ReportRun = {
    ...runOf(two, HOSTILE, { task: `own:${HOSTILE}`, model: `${HOSTILE}'; rm -rf ~` }),
    note: HOSTILE,
    evaluations: two.evaluations.map(spoiled),
  };

  it('are text wherever they stand', () => {
    for (const arms of [
      armsOf([run]),
      armsOf([run, { ...run, config: { ...run.config, seed: 5, loss: 'ppo' } }]),
    ]) {
      const text = reportHtml({ arms, page: null, date: DATE });
      expect(text).not.toMatch(LIVE);
      expect(text.split('&lt;script&gt;').length).toBeGreaterThan(10);
      expect(text).not.toContain('\u0000');
    }
  });

  it('are one word of the command', () => {
    expect(commandOf(run.config)).toContain(`'own:</pre><script>`);
    expect(commandOf(run.config)).toContain(
      `'model=</pre><script>alert(1)</script><img src=x onerror="alert(2)">'\\''; rm -rf ~'`,
    );
  });
});

describe('the report of a comparison', () => {
  it('holds arms against the first, problem by problem', () => {
    const arms = armsOf([
      runOf(two, 'two', { rolloutsPerProblem: 2, problemsPerStep: 64 }),
      runOf(eight, 'eight'),
    ]);
    const text = reportHtml({ arms, page: null, date: DATE });
    expect(text).toContain('<title>Reverse digits with starter: 2 runs</title>');
    // The paired interval, worked out from the record by another program.
    expect(text).toContain(
      'not distinguishable: −3.0 points (−7.6 to +1.7); 95% interval paired, over the same problems',
    );
    expect(text).toContain('<code>rolloutsPerProblem</code>');
    expect(text.match(/class="thin"/g)?.length).toBe(2 * (text.match(/<figure>/g)?.length ?? 0));
  });

  it('takes runs that differ in their seeds alone as one, with its interval', () => {
    const seeds = [0, 1, 2].map((seed) => runOf(seed === 2 ? eight : two, `seed ${seed}`, { seed }));
    const [first, ...others] = seeds;
    if (!first) throw new Error('There are no runs.');
    const arms = armsOf([first, ...others]);
    expect(arms.map(({ name, runs }) => [name, runs.length])).toEqual([['seed 0 (3 seeds)', 3]]);
    const text = reportHtml({ arms, page: null, date: DATE });
    expect(text).toContain('class="area"');
  });
});
