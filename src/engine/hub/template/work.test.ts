import { describe, expect, it } from 'vitest';
import { ChatTemplate, TemplateLimitError } from './index.ts';

const render = (template: string): string =>
  new ChatTemplate(template).render({ messages: [{ role: 'user', content: 'Hi' }] }, 0);

/** The same statement many times over. */
const times = (count: number, statement: string): string => statement.repeat(count);
const nested = (depth: number, body: string): string =>
  Array.from({ length: depth }, (_, i) => `{% for i${i} in range(1000) %}`).join('') +
  body +
  times(depth, '{% endfor %}');

describe('a template', () => {
  it.each([
    ['loops that never end', nested(4, 'x'), /takes more than 1,000,000 steps/],
    ['loops of nothing', nested(4, ''), /takes more than 1,000,000 steps/],
    [
      'a text that doubles',
      `{% set x = 'ab' %}${times(30, '{% set x = x ~ x %}')}{{ x }}`,
      /text or list of more than/,
    ],
    [
      'a list that doubles',
      `{% set x = [1] %}${times(30, '{% set x = x + x %}')}{{ x | length }}`,
      /text or list/,
    ],
    [
      'lists within lists',
      `{% set x = [1] %}${times(30, '{% set x = [x, x] %}')}{{ x | tojson }}`,
      /takes more than 1,000,000 steps/,
    ],
    [
      'namespaces within lists',
      `{% set n = namespace(a=1) %}${Array.from({ length: 30 }, (_, i) => `{% set n${i} = namespace(a=[${i === 0 ? 'n, n' : `n${i - 1}, n${i - 1}`}]) %}`).join('')}{{ n29 }}`,
      /takes more than 1,000,000 steps/,
    ],
    [
      'a comparison of such lists',
      `{% set x = [1] %}{% set y = [1] %}${times(30, '{% set x = [x, x] %}{% set y = [y, y] %}')}{{ x == y }}`,
      /takes more/,
    ],
    [
      'many long texts',
      `{% set x = 'ab' * 400000 %}${nested(1, "{% set y = x ~ 'c' %}{{ 'd' in y }}")}`,
      /takes more/,
    ],
    ['a long number', '{{ 10 ** (10 ** 9) }}', /a number of too many digits/],
    [
      'a macro that calls itself',
      '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
      /calls itself too deeply/,
    ],
    ['a tower of brackets', `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`, /calls itself too deeply/],
    ['a wide indent', "{{ 'a\\nb' | indent(500000000) }}", /indents lines by 500,000,000/],
    ['a wide indent by name', '{{ [1] | tojson(indent=500000000) }}', /indents lines by 500,000,000/],
    [
      'a wide indent of a block',
      '{% filter indent(500000000) %}a\nb{% endfilter %}',
      /indents lines by 500,000,000/,
    ],
  ])('is stopped at %s', (_, template, says) => {
    const caught = (() => {
      try {
        return render(template);
      } catch (error) {
        return error;
      }
    })();
    expect(caught).toBeInstanceOf(TemplateLimitError);
    expect(caught).toHaveProperty('message', expect.stringMatching(says));
  });

  it('gets the limits of Jinja2’s sandbox', () => {
    expect(() => render('{% for i in range(1000000000) %}{% endfor %}')).toThrow('Range too big');
    expect(() => render('{{ range(0, 1, 0.000000001) | length }}')).toThrow("'float' object");
    expect(() => render('{% set n = namespace(a=1) %}{% set n.a = n %}{{ n }}')).toThrow('holds itself');
    const nestedCalls = '{% macro m(n) %}{{ m(n - 1) if n else "end" }}{% endmacro %}{{ m(180) }}';
    expect(render(nestedCalls)).toBe('end');
  });

  it('may do what templates do: ranges, namespaces, macros, indents, a thousand messages', () => {
    expect(render('{% for i in range(5, 0, -2) %}{{ i }} {% endfor %}{{ range(3) | length }}')).toBe(
      '5 3 1 3',
    );
    expect(render("{{ 'a\\nb' | indent(2) }}|{{ [1] | tojson(indent=1) }}")).toBe('a\n  b|[\n 1\n]');
    expect(
      render(
        '{% set n = namespace(x=0) %}{% for m in range(1000) %}{% set n.x = n.x + m %}{% endfor %}{{ n.x }}',
      ),
    ).toBe('499500');
    expect(() => render("{{ raise_exception('no tools') }}")).toThrow('no tools');
  });
});
