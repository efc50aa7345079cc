import { expect, test } from 'vitest';
import { defaultConfig, parseConfig, type RunConfig } from '@rl-playground/run/settings';
import { remedies } from './remedies.ts';

const labelsOf = (config: RunConfig, hasTemplate: boolean) =>
  remedies({ config, findings: [], hasTemplate }).map(({ label }) => label);

test('an instruct model is offered a task that it knows, an easier level and what pays for a part', () => {
  const hard = { ...defaultConfig('chain_sum'), taskConfig: { min_terms: 5, max_terms: 6, step_weight: 0 } };
  expect(labelsOf(hard, true)).toEqual([
    'Ask the easiest level',
    'Try “Instructions”',
    'Pay for a part',
    'Turn on the warm-up',
  ]);
  expect(labelsOf({ ...hard, warmStartSteps: 60 }, true)).not.toContain('Turn on the warm-up');
});

test('a base model is offered a task that is graded by the form alone, behind worked examples', () => {
  const [first] = remedies({ config: defaultConfig('instructions'), findings: [], hasTemplate: false });
  expect(first?.label).toBe('Turn on the warm-up');
  const ways = remedies({ config: defaultConfig('gcd'), findings: [], hasTemplate: false });
  const settings = ways.find(({ label }) => label === 'Try “Answer in a form”')?.settings;
  expect(settings).toMatchObject({
    task: 'format_follow',
    renderer: 'role_colon',
    taskConfig: { few_shot: true },
  });
  expect(parseConfig({ ...defaultConfig('gcd'), ...settings }).ok).toBe(true);
});

test('the remedy of what was found comes first, and is offered once', () => {
  const mend = { label: 'Turn on the warm-up', settings: { warmStartSteps: 60 } };
  const finding = { id: 'no_form', kind: 'warning', title: '', text: '', mend } as const;
  const config = defaultConfig('format_follow');
  const examples = { label: 'Show worked examples', settings: { taskConfig: { few_shot: true } } };
  expect(remedies({ config, findings: [finding], hasTemplate: true })).toEqual([mend, examples]);
});

test('the easiest level leaves nothing of a harder one, even where it is the task’s defaults', () => {
  const taskConfig = { forms: ['json', 'tags'], min_keys: 4, max_keys: 5, partial: 0.2 };
  const config = { ...defaultConfig('format_follow'), taskConfig };
  const easier = remedies({ config, findings: [], hasTemplate: true })[0];
  expect(easier).toEqual({
    label: 'Ask the easiest level',
    settings: { taskConfig: { partial: 0.2 }, curriculum: 'off' },
  });
});
