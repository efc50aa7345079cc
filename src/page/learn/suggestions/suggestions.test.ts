import { expect, test } from 'vitest';
import { lossNote } from '@rl-playground/run/diagnosis';
import { changedBetween, defaultConfig } from '@rl-playground/run/settings';
import { formErrors } from '../../run/form/settings.ts';
import { SUGGESTIONS, withSuggestion } from './suggestions.ts';

const form = defaultConfig('reverse_digits');

test.each(SUGGESTIONS)(
  '“$title” changes every setting that it names, and the run can begin',
  (suggestion) => {
    const changed = withSuggestion(form, suggestion);
    expect(changedBetween(form, changed)).toEqual(expect.arrayContaining([...suggestion.keys]));
    expect(formErrors(changed).size).toBe(0);
  },
);

test('a suggested loss does not make the same run as the one before it', () => {
  const suggestion = SUGGESTIONS.find(({ keys }) => keys.includes('loss'));
  if (suggestion === undefined) throw new Error('No loss is suggested.');
  // The loss alone would: with one update to a batch only the baseline tells them apart.
  expect(lossNote({ ...form, loss: 'reinforce' })?.text).toContain('GRPO');
  expect(lossNote(withSuggestion(form, suggestion))?.text ?? '').not.toContain('GRPO');
});
