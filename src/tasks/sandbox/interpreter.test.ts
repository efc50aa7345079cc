import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { everyProof, provenBy } from '@rl-playground/base/testing/proofs';
import { TODAY } from '@rl-playground/base/testing/today';
import { loadQuickJs, scoreWith, stripTypes } from './interpreter.ts';
import { DEFAULT_LIMITS, MEMORY_PAGES, MOST_INPUT, PAGE_BYTES } from './limits.ts';

let quickJs = await loadQuickJs(null);
const item = (text: string) =>
  JSON.stringify({ problem: { question: '1 + 1?', answer: '2' }, completion: { text } });

async function score(source: string, text = 'It is 2', limits = DEFAULT_LIMITS) {
  const scored = scoreWith(quickJs, await stripTypes(source), item(text), limits);
  if (!scored.sound) quickJs = await loadQuickJs(null);
  return scored;
}

describe('a program', () => {
  it.each([
    ['a function', 'function score(problem, completion) { return 0.5; }'],
    ['a constant', 'const score = () => 0.5;'],
    ['an export', 'export const score = (): number => 0.5;'],
    ['a default export', 'export default function (problem: { answer: string }): number { return 0.5; }'],
    ['an async function', 'export async function score() { await null; return 0.5; }'],
    ['a CommonJS export', 'module.exports = () => 0.5;'],
  ])('may be %s', async (_, source) => {
    expect(await score(source)).toEqual({
      outcome: {
        scored: {
          total: 0.5,
          parts: { reward: 0.5 },
          correct: false,
          format: true,
          reason: 'Wrong, by the program’s score.',
          extracted: null,
        },
        logs: [],
      },
      sound: true,
    });
  });

  it('is told of its memory whether or not there was room for an error', async () => {
    // How much is left when memory ends decides which of the two QuickJS throws: one of 40 sizes, another every day.
    const stride = everyProof ? 1 : 40;
    for (let size = 1 + (TODAY % stride); size <= 40; size += stride) {
      const source = `function score() { const all = []; let f = () => 1; for (;;) { const g = f; f = () => g; all.push('x'.repeat(${size})); } }`;
      const { outcome } = await score(source);
      expect(JSON.stringify(outcome)).toMatch(/32 MB of memory|was stopped/);
    }
    const { outcome } = await score('function score() { throw null; }');
    expect(JSON.stringify(outcome)).toContain('The program threw null');
  });

  it('is stopped after the same step on every machine, whatever the clock says', async () => {
    const source = 'function score() { for (let i = 0; ; i++) if (i % 2e5 === 0) console.log(i); }';
    const limits = { ...DEFAULT_LIMITS, steps: 3_000_000 };
    const first = await score(source, '', limits);
    expect(JSON.stringify(first.outcome)).toContain('stopped after 3,000,000 steps');
    expect(first.outcome.logs.length).toBeGreaterThan(10);
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1e6));
    onTestFinished(() => clock.mockRestore());
    expect(await score(source, '', limits)).toEqual(first);
    const twice = await score(source, '', { ...limits, steps: 6_000_000 });
    expect(Math.abs(twice.outcome.logs.length / first.outcome.logs.length - 2)).toBeLessThan(0.1);
  });

  // What is large or small comes from the same memory.
  const growing = [
    ['typed arrays', 'all.push(new Uint8Array(1e6))'],
    ['objects', 'all.push({})'],
  ] as const;
  const more = [
    ['texts', 'all.push("x".repeat(1e5) + all.length)'],
    ['arrays', 'all.push(new Array(1e4).fill(0))'],
  ] as const;
  it.each(provenBy([...growing, ...more], growing))(
    'gets no more memory than it may have, for %s',
    async (_, grow) => {
      const used = quickJs;
      const { outcome, sound } = await score(`function score() { const all = []; for (;;) ${grow}; }`);
      expect(JSON.stringify(outcome)).toMatch(/32 MB of memory/);
      expect(sound).toBe(false);
      expect(used.getWasmMemory().buffer.byteLength).toBeLessThanOrEqual(MEMORY_PAGES.maximum * PAGE_BYTES);
    },
  );

  it('is TypeScript', async () => {
    const source = `
      interface Problem { readonly question: string; readonly answer: string }
      enum Weight { Right = 2 }
      export function score(problem: Problem, { text }: { text: string }) {
        const right = (text as string).endsWith(problem.answer!);
        console.log('right', right, { text });
        return { parts: { right: right ? Weight.Right : 0, length: -0.25 }, correct: right, reason: 'by its last letter', extracted: text.slice(-1) } satisfies object;
      }`;
    expect(await score(source)).toEqual({
      outcome: {
        scored: {
          total: 1.75,
          parts: { right: 2, length: -0.25 },
          reason: 'by its last letter',
          correct: true,
          format: true,
          extracted: '2',
        },
        logs: ['right true {"text":"It is 2"}'],
      },
      sound: true,
    });
  });

  it('is refused too large an item', () => {
    const { outcome } = scoreWith(quickJs, 'score = () => 1', item('x'.repeat(MOST_INPUT)), DEFAULT_LIMITS);
    expect('error' in outcome && outcome.error).toContain('at most 2000000');
  });

  it('leaves the interpreter in order, whichever way it fails', async () => {
    for (const body of [
      'throw 1',
      'return Promise.reject(new Error("no"))',
      'return nothing',
      'return score()',
      'return {}',
    ]) {
      const { outcome, sound } = await score(`function score() { ${body} }`);
      expect([sound, 'error' in outcome]).toEqual([true, true]);
    }
  });
});
