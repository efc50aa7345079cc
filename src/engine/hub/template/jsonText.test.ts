import { expect, it } from 'vitest';
import { ChatTemplate, variablesIn } from './index.ts';

const printed = (json: string): string =>
  new ChatTemplate('{{ x }}').render(variablesIn(`{"op":"t","variables":{"x":${json}}}`, 'variables'), 0);

// Right-hand sides by CPython 3.11: str(json.loads(…)).
it.each([
  ['1.0', '1.0'],
  ['1e3', '1000.0'],
  ['-0', '0'],
  ['3.10', '3.1'],
  ['9007199254740993', '9007199254740993'],
  ['{"2": 1, "1": [2.0, null, true]}', "{'2': 1, '1': [2.0, None, True]}"],
  [String.raw`"a \" 1.0 \\"`, 'a " 1.0 \\'],
  [String.raw`["\u00e9", "n1", "s"]`, "['é', 'n1', 's']"],
  ['{"__proto__": 1, "a": {}}', "{'__proto__': 1, 'a': {}}"],
])('reads %s as Python does', (json, text) => {
  expect(printed(json)).toBe(text);
});

it('says what is no JSON, and no variables', () => {
  expect(() => printed('01')).toThrow(SyntaxError);
  expect(() => variablesIn('{"variables":[1]}', 'variables')).toThrow('variables must be a JSON object');
  expect(() => new ChatTemplate('{{ x }}').render({ x: 2 ** 60 }, 0)).toThrow('beyond 2^53');
});
