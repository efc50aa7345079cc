/** `reward.py` under a Python that lacks its libraries, where there is one. What they score is compared by `--verify-rewards` alone. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskMix } from '@rl-playground/run/loop';
import { graderOf, rewardFile } from '@rl-playground/bridges/handoff';
import { agreement, handedTasks } from './handoffRewards.ts';

const PYTHON = 'python3';
const hasPython = spawnSync(PYTHON, ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'rl-playground-rewards-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reading = {
  stopTokens: [],
  turnEnd: null,
  stopStrings: [],
  withoutThoughts: false,
  beginsInThought: false,
};
const ENTRY = 'import json\nfrom reward import grade\n';

/** Runs a program beside the `reward.py` of a task, without packages that pip has installed, and returns its output and its last line of errors. */
function beside(task: string, program: string): { readonly stdout: string; readonly lastWords: string } {
  writeFileSync(
    join(folder, 'reward.py'),
    rewardFile(taskMix({ task, taskConfig: {}, mixture: [] }), 'upstream', reading),
  );
  writeFileSync(join(folder, 'program.py'), program);
  const { stdout, stderr } = spawnSync(PYTHON, ['-S', 'program.py'], { cwd: folder, encoding: 'utf8' });
  return { stdout, lastWords: stderr.trim().split('\n').at(-1) ?? '' };
}

describe.skipIf(!hasPython)('reward.py', () => {
  it.each([
    ['gcd', 'reasoning-gym', 'reasoning-gym==0.1.25'],
    ['gsm8k', 'math-verify', 'math-verify==0.9.0'],
  ])('of %s says at its start that it lacks %s, and what to install', (task, title, install) => {
    expect(beside(task, ENTRY).lastWords).toMatch(
      RegExp(`^ImportError: The rewards of this run need ${title} \\(.*\\): pip install ${install}$`),
    );
  });

  describe('with modules in the place of its libraries', () => {
    beforeAll(() => {
      writeFileSync(
        join(folder, 'reasoning_gym.py'),
        `def get_score_answer_fn(name):
    def score(answer, entry):
        if answer == "raise":
            raise ValueError(answer)
        return 0.5 if [name, answer, entry["answer"], entry["metadata"]] == ["gcd", "4", "8", {"a": 1}] else 0
    return score
`,
      );
      writeFileSync(
        join(folder, 'math_verify.py'),
        `def parse(text, parsing_timeout):
    return [text, parsing_timeout]


def verify(gold, target, timeout_seconds):
    return [gold, target, timeout_seconds] == [["\\\\boxed{8}", 5], ["\\\\boxed{4+4}", 5], 5]
`,
      );
    });

    it('gives reasoning-gym what stands between the tags, with the answer and its metadata', () => {
      const graded = (text: string): unknown => {
        const row = JSON.stringify(JSON.stringify({ answer: '8', data: { a: 1 } }));
        const call = `print(json.dumps(grade(${JSON.stringify(text)}, 0, json.loads(${row}))))`;
        return JSON.parse(beside('gcd', `${ENTRY}${call}`).stdout);
      };
      expect(graded('<think>x</think> <answer> 4 </answer>')).toEqual({
        total: 0.7,
        parts: { accuracy: 0.5, format: 0.2 },
        correct: false,
        format: true,
      });
      const nothing = { total: 0.1, parts: { accuracy: 0, format: 0.1 }, correct: false, format: false };
      for (const text of ['<answer>5</answer>', '<answer>raise</answer>', '</answer>4<answer>'])
        expect(graded(text)).toEqual(nothing);
    });

    it('gives math-verify the answer and what stands in the box', () => {
      const graded = (text: string): unknown => {
        const call = `print(json.dumps(grade(${JSON.stringify(text)}, 0, {"answer": "8"})))`;
        return JSON.parse(beside('gsm8k', `${ENTRY}${call}`).stdout);
      };
      expect(graded('\\boxed{1} so \\boxed{4+4}')).toMatchObject({ correct: true, format: true });
      expect(graded('\\boxed{4+4} so \\boxed{1}')).toMatchObject({ correct: false, format: true });
      expect(graded('4+4')).toMatchObject({ correct: false, format: false });
    });
  });

  it('pays what is paid here, where its rules are written out', () => {
    const tasks = handedTasks().filter((task) => graderOf(task)?.library === null);
    expect(tasks.length).toBeGreaterThan(9);
    for (const task of tasks) {
      const found = agreement(task, 'strict', { python: PYTHON, count: 60, seed: 1 });
      expect(found).toMatchObject({ rows: 60, faults: [], differs: false });
      expect(found?.rewarded).toBeGreaterThan(10);
    }
  });
});
