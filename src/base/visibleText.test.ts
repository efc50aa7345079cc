import { expect, test } from 'vitest';
import { visibleJson, visibleText } from './visibleText.ts';

test.each([
  ['\u001b]52;c;aGVsbG8=\u0007', '\\x1b]52;c;aGVsbG8=\\x07'],
  ['\u001b[2J\u001b[31mred', '\\x1b[2J\\x1b[31mred'],
  ['\u009b31m and \u0090q', '\\x9b31m and \\x90q'],
  ['over\rwritten\u0008', 'over\\x0dwritten\\x08'],
  ['abc\u202etxt.exe\u2066', 'abc\\u202etxt.exe\\u2066'],
  ['two\u2028lines', 'two\\u2028lines'],
  ['Grüße, 数学 — “ok” 🙂\n\tnext', 'Grüße, 数学 — “ok” 🙂\n\tnext'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('JSON keeps its values', () => {
  const value = { 'a\u009bb': ['\u202e', '\u007f', 'é'] };
  const shown = visibleJson(JSON.stringify(value));
  expect(shown).toContain('\\u009b');
  expect(JSON.parse(shown)).toEqual(value);
});
