import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ChatTemplate } from './chatTemplate.ts';
import { TemplateLimitError } from './templateInterpreter.ts';

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
    ['loops that never end', nested(4, 'x'), /makes more than 100,000 values/],
    ['loops of nothing', nested(4, ''), /makes more than 100,000 values/],
    [
      'a loop over a billion',
      '{% for i in range(1000000000) %}{% endfor %}',
      /makes more than 100,000 values/,
    ],
    ['a range without end', '{{ range(0, 1, 0.000000001) | length }}', /makes more than 100,000 values/],
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
      /text or list/,
    ],
    [
      'namespaces within lists',
      `{% set n = namespace(a=1) %}${Array.from({ length: 30 }, (_, i) => `{% set n${i} = namespace(a=[${i === 0 ? 'n, n' : `n${i - 1}, n${i - 1}`}]) %}`).join('')}{{ n29 | tojson }}`,
      /text or list/,
    ],
    ['a namespace of itself', '{% set n = namespace(a=1) %}{% set n.a = n %}{{ n }}', /text or list/],
    ['a wide indent', "{{ 'a\\nb' | indent(500000000) }}", /indents lines by 500,000,000/],
    ['a wide indent by name', '{{ [1] | tojson(indent=500000000) }}', /indents lines by 500,000,000/],
    [
      'a wide indent of a block',
      '{% filter indent(500000000) %}a\nb{% endfilter %}',
      /indents lines by 500,000,000/,
    ],
  ])('is stopped at %s', (_, template, says) => {
    // A busy machine would come to the limit of time first: here a look at the clock takes a microsecond.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 0.001));
    onTestFinished(() => clock.mockRestore());
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

  it('is stopped after two seconds of work, and not because the machine slept meanwhile', () => {
    let now = 0;
    const each = { took: 0 };
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += each.took));
    onTestFinished(() => clock.mockRestore());
    const loop = '{% for i in range(500) %}x{% endfor %}';
    each.took = 10;
    expect(() => render(loop)).toThrow(/takes more than 2 s/);
    each.took = 0.01;
    let looks = 0;
    clock.mockImplementation(() => (now += ++looks === 100 ? 3_600_000 : each.took));
    expect(render(loop)).toBe('x'.repeat(500));
  });

  it('that calls itself for ever is no more than an error', () => {
    expect(() => render('{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}')).toThrow(
      /call stack|values|not a function/,
    );
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
