import { describe, expect, it } from 'vitest';
import { ChatTemplate } from './chatTemplate.ts';

const render = (template: string, text: unknown): string => new ChatTemplate(template).render({ text });

describe('ChatTemplate', () => {
  // Right-hand sides by CPython 3.11.
  it.each([
    ["{{ text.lstrip('\\n') }}", '\n\n a \n', ' a \n'],
    ["{{ text.rstrip('\\n') }}", '\n\n a \n', '\n\n a '],
    ["{{ text.strip('ab') }}", 'abba c ab', ' c '],
    ["{{ text.strip('𝔘') }}", '𝔘𝔘x𝔘', 'x'],
    ['{{ text.strip() }}', '\x1c\x85 \ufeffa\u2028\t', '\ufeffa'],
    ['{{ text | trim }}', '\ufeff \n', '\ufeff'],
    ["{{ text | trim('-') }}", '-- a -', ' a '],
    ['{{ text.lstrip(none) }}', '  a ', 'a '],
  ])('strips as Python does: %s', (template, text, expected) => {
    expect(render(template, text)).toBe(expected);
  });

  it('reaches into loops, conditions, slices and arguments', () => {
    const template =
      "{% for x in [text.split('|')[0].rstrip('n').split('y')[-1].lstrip('n'), 'n' + text] %}" +
      "{% if x.startswith('n'.strip('m')) %}{{ {'a': x.lstrip('n')}['a'] }}{% else %}<{{ x }}>{% endif %}{% endfor %}";
    expect(render(template, 'aynnbnn|c')).toBe('<b>aynnbnn|c');
  });

  it('leaves fields and variables of these names alone', () => {
    expect(render('{{ text.trim }}{% set strip = 1 %}{{ strip }}', { trim: 'x' })).toBe('x1');
  });

  it('says what it can’t strip', () => {
    expect(() => render('{{ text.strip() }}', null)).toThrow('strip needs a text');
    expect(() => render('{{ text.strip(3) }}', 'a')).toThrow('strip takes a text of characters, found 3');
  });
});
