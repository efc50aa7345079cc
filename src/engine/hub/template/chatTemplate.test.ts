import { describe, expect, it } from 'vitest';
import { ChatTemplate } from './index.ts';

/** 5 March 2024, 14:07:09, a Tuesday. */
const MOMENT = Date.UTC(2024, 2, 5, 14, 7, 9);

const render = (template: string, text: unknown): string =>
  new ChatTemplate(template).render({ text }, MOMENT);

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

  // Right-hand sides by CPython 3.11: datetime(2024, 3, 5, 14, 7, 9).strftime(…).
  it.each([
    ['%d %b %Y', '05 Mar 2024'],
    ['%A, %-d %B %y', 'Tuesday, 5 March 24'],
    ['%a %e %j %I:%M:%S %p %% %H', 'Tue  5 065 02:07:09 PM % 14'],
  ])('takes the run’s clock for now: %s', (format, expected) => {
    expect(render('{{ strftime_now(text) }}', format)).toBe(expected);
    const guarded =
      '{% if strftime_now is defined %}{% set d = strftime_now(text) %}{% else %}{% set d = "?" %}{% endif %}{{ d }}';
    expect(render(guarded, format)).toBe(expected);
  });

  it('trims what is no text as Python writes it', () => {
    expect(render('{{ text | trim }}{{ nothing | trim }}{{ true | trim }}', 3)).toBe('3True');
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
    expect(() => render('{{ text.strip() }}', null)).toThrow("'None' has no attribute 'strip'");
    expect(() => render('{{ text.strip(3) }}', 'a')).toThrow('strip arg must be None or str, not int');
  });
});
