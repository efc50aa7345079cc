/** Templates whose texts were written by Jinja2 3.1.6 in the environment of transformers. */
import { describe, expect, it } from 'vitest';
import { ChatTemplate } from './index.ts';

const VARIABLES = {
  messages: [
    { role: 'system', content: ' Be brief. ' },
    { role: 'user', content: 'Hi <you>\n' },
  ],
  s: 'Hello World',
  l: [3, 1, 2],
  d: { b: 1, a: [null, true, 1.5] },
  emoji: 'a😀b',
  tools: null,
};

const render = (template: string): string => new ChatTemplate(template).render(VARIABLES, 0);

describe('numbers', () => {
  it.each([
    ['{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ -5.5 // 2 }} {{ -5.5 % 2 }}', '-4 2 -2 -3.0 0.5'],
    ['{{ 6 / 2 }} {{ 7 // 2.0 }} {{ 2 ** -1 }} {{ -2 ** 2 }} {{ 2 ** 3 ** 2 }}', '3.0 3.0 0.5 4 64'],
    [
      '{{ 1e3 }} {{ 1e16 }} {{ 1e15 }} {{ 1e-5 }} {{ 0.0001 }} {{ 1_000 }} {{ 0x1F }}',
      '1000.0 1e+16 1000000000000000.0 1e-05 0.0001 1000 31',
    ],
    ['{{ 9007199254740993 + 1 }} {{ 2 ** 64 }}', '9007199254740994 18446744073709551616'],
    ['{{ 0.1 + 0.2 }} {{ 1.0 }} {{ 3.0 * 2 }} {{ -0.0 }}', '0.30000000000000004 1.0 6.0 -0.0'],
    ['{{ true + true }} {{ 1 == 1.0 == true }} {{ 1 < 2 < 2 }}', '2 True False'],
    [
      "{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }} {{ 25 | round(-1) }} {{ 2.1 | round(0, 'ceil') }} {{ 7 | round }}",
      '2.0 4.0 2.67 20 3.0 7',
    ],
    [
      "{{ '3.9' | int }} {{ ' 1_2 ' | int }} {{ 'x' | int(7) }} {{ '0x1f' | int(0, 16) }} {{ none | int }} {{ '1e3' | int }}",
      '3 12 7 31 0 1000',
    ],
    [
      "{{ '\u0665\uff13' | int }} {{ '\uff11.\uff15' | float }} {{ '\\x1c5' | int(7) }} {{ '\\x855' | int }} {{ '0b\u0661' | int(0, 0) }} {{ '\u0661f' | int(0, 16) }}",
      '53 1.5 7 5 1 31',
    ],
    ["{{ '1.5' | float }} {{ 'x' | float }} {{ '-inf' | float }} {{ 5 | float }}", '1.5 0.0 -inf 5.0'],
    [
      '{{ -3 is odd }} {{ 4 is divisibleby 2 }} {{ true is integer }} {{ true is number }} {{ 1.0 is float }}',
      'True True False True True',
    ],
    ['{{ -1 | abs }} {{ 1500000 | filesizeformat }}', '1 1.5 MB'],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('equality and membership', () => {
  it.each([
    ["{{ [1, 2] == [1.0, 2] }} {{ (1, 2) == [1, 2] }} {{ {'a': 1} == {'a': 1.0} }}", 'True False True'],
    ["{{ '1' == 1 }} {{ none == false }} {{ 0 == false }} {{ nothing == none }}", 'False False True False'],
    [
      "{{ 1 in [true] }} {{ [1] in [[1.0]] }} {{ 'b' in {'b': 1} }} {{ 'ell' in s }} {{ 1 in nothing }}",
      'True True True True False',
    ],
    [
      "{{ 'a' is in ['a'] }} {{ 1 is not in [2] }} {{ 0 is sameas false }} {{ l is sameas l }} {{ [] is sameas [] }}",
      'True True False True False',
    ],
    ["{{ [1, 2] < [1, 3] }} {{ 'Z' < 'a' }} {{ '\\uffff' < '😀' }}", 'True True True'],
    ["{{ {1: 'a', 1.0: 'b', true: 'c'} }}", "{1: 'c'}"],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('printing', () => {
  it.each([
    [
      "{{ true }} {{ none }} {{ [1, 'x', none, true, 1.5, (), (1,)] }}",
      "True None [1, 'x', None, True, 1.5, (), (1,)]",
    ],
    ['{{ d }} {{ {} }}', "{'b': 1, 'a': [None, True, 1.5]} {}"],
    [
      "{{ [\"it's\", 'a\"b', 'a\\'\"b', '\\n\\t\\\\é\\x00\\u200b'] }}",
      "[\"it's\", 'a\"b', 'a\\'\"b', '\\n\\t\\\\é\\x00\\u200b']",
    ],
    ["{{ 'a' ~ 1 ~ none ~ true ~ 1.0 }}", 'a1NoneTrue1.0'],
    [
      "{{ nothing }}|{{ none | default('z') }}|{{ none | default('z', true) }}|{{ nothing | default('z') }}",
      '|None|z|z',
    ],
    [
      '{{ d.keys() }} {{ d.items() | list }} {{ range(1, 5, 2) }} {{ namespace(a=1) }}',
      "dict_keys(['b', 'a']) [('b', 1), ('a', [None, True, 1.5])] range(1, 5, 2) <Namespace {'a': 1}>",
    ],
    ["{{ 1 if false }}|{{ d.nothing }}|{{ messages[0]['nothing'] }}|{{ l[9] }}", '|||'],
    [
      "{{ {'b': none, 'a': 1.0} | tojson }} {{ [] | tojson(indent=2) }} {{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }}",
      '{"b": null, "a": 1.0} [] {"a": 2, "b": 1}',
    ],
    [
      "{{ '<&>\\'\\u2028é' | tojson }} {{ 'é😀' | tojson(ensure_ascii=true) }}",
      '"<&>\'\u2028é" "\\u00e9\\ud83d\\ude00"',
    ],
    ["{{ {'a': [1, {'b': 2}]} | tojson(indent=1) }}", '{\n "a": [\n  1,\n  {\n   "b": 2\n  }\n ]\n}'],
    ["{{ [1, 2] | tojson(separators=(',', ':')) }}", '[1,2]'],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('texts', () => {
  it.each([
    ["{{ emoji | length }} {{ emoji[1] }} {{ emoji[::-1] }} {{ emoji.find('b') }}", '3 😀 b😀a 2'],
    [
      "{{ 'hELLO wORLD' | capitalize }} {{ \"o'neil mc-donald x2y\" | title }} {{ \"o'neil\".title() }} {{ 'ß'.upper() }} {{ 'ΑΣ'.lower() }}",
      "Hello world O'neil Mc-Donald X2y O'Neil SS ας",
    ],
    [
      "{{ ' a  b '.split() }} {{ 'a,b,,c'.split(',', 1) }} {{ ' a b c '.rsplit(none, 1) }} {{ 'a\\nb\\r\\n'.splitlines() }}",
      "['a', 'b'] ['a', 'b,,c'] [' a b', 'c'] ['a', 'b']",
    ],
    [
      "{{ 'aXbXc'.replace('X', '-', 1) }} {{ 'abc'.replace('', '-') }} {{ 'abc'.startswith(('x', 'ab')) }}",
      'a-bXc -a-b-c- True',
    ],
    [
      "{{ 'abcabc'.rfind('b') }} {{ 'abc'.find('z') }} {{ 'aaa'.count('aa') }} {{ 'abc'.index('c') }}",
      '4 -1 1 2',
    ],
    [
      "{{ 'aSb'.partition('S') }} {{ '-'.join(['a', 'b']) }} {{ 'ab'.zfill(4) }} {{ 'ab'.center(5, '*') }}|{{ 'a\\tb'.expandtabs(4) }}",
      "('a', 'S', 'b') a-b 00ab **ab*|a   b",
    ],
    [
      "{{ '%s-%05.1f|%-4d|%x|%r' % ('a', 2.25, 3, 255, 'b') }} {{ '%(k)s' % {'k': 1} }} {{ '%.0f' % 2.5 }}",
      "a-002.2|3   |ff|'b' 1 2",
    ],
    [
      "{{ '{}!{x}{y[0]}'.format('a', x=2, y=[3]) }} {{ '{:>5}|{:,}|{:.2f}|{:#x}'.format('a', 1234567, 2.675, 255) }}",
      'a!23     a|1,234,567|2.67|0xff',
    ],
    ["{{ s | truncate(5) }} {{ 'a\\nb\\n\\nc' | indent(2) }} {{ s | wordcount }}", 'He... a\n  b\n\n  c 2'],
    [
      "{{ '<a>' | e }} {{ ('<' | e) + '<' }} {{ 'a b/c?é' | urlencode }}",
      '&lt;a&gt; &lt;&lt; a%20b/c%3F%C3%A9',
    ],
    ["{{ 'x' * 3 }} {{ 'a' 'b' }} {{ s[::2] }} {{ s[-5:] }} {{ 'abc'[5:] }}|", 'xxx ab HloWrd World |'],
    ["{{ 'é'.encode() }} {{ 'é'.encode('utf-8') | length }}", "b'\\xc3\\xa9' 2"],
    [
      "{{ 'a1'.isalnum() }} {{ '²'.isdigit() }} {{ '²'.isdecimal() }} {{ ''.isalpha() }} {{ 'Ab'.istitle() }}",
      'True True False False True',
    ],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('lists', () => {
  it.each([
    [
      "{{ [3, 1, 2] | sort }} {{ ['b', 'A'] | sort }} {{ ['b', 'A'] | sort(case_sensitive=true, reverse=true) }}",
      "[1, 2, 3] ['A', 'b'] ['b', 'A']",
    ],
    [
      "{{ messages | map(attribute='role') | list }} {{ ['a'] | map('upper') | join }} {{ [[1, 'a']] | map('last') | list }}",
      "['system', 'user'] A ['a']",
    ],
    [
      "{{ messages | selectattr('role', 'in', ['user']) | list | length }} {{ messages | rejectattr('role') | list | length }}",
      '1 0',
    ],
    [
      "{{ [1, 2, 3] | select('odd') | list }} {{ [0, 1, none] | reject | list }} {{ [1, 2] | select('>', 1) | list }}",
      '[1, 3] [0, None] [2]',
    ],
    [
      '{{ l | min }} {{ l | max }} {{ l | sum }} {{ [] | min }}| {{ [[1], [2]] | sum(start=[]) }}',
      '1 3 6 | [1, 2]',
    ],
    [
      "{{ [1, 1.0, true, 'a', 'A'] | unique | list }} {{ l | batch(2, 'x') | list }} {{ range(7) | slice(3) | list }}",
      "[1, 'a'] [[3, 1], [2, 'x']] [[0, 1, 2], [3, 4], [5, 6]]",
    ],
    [
      "{{ {'b': 1, 'A': 2} | dictsort }} {{ {'b': 1, 'A': 2} | dictsort(by='value', reverse=true) }} {{ d | items | list | length }}",
      "[('A', 2), ('b', 1)] [('A', 2), ('b', 1)] 2",
    ],
    [
      '{{ nothing | length }} {{ nothing | list }} {{ nothing | join }}|{{ nothing | first }}|{{ nothing | upper }}|',
      '0 [] |||',
    ],
    ["{% set r = [1, 2] | map('string') %}{{ r | list }}{{ r | list }}", "['1', '2'][]"],
    [
      "{{ l[1:] }} {{ l[::-1] }} {{ (1, 2, 3)[1:] }} {{ l[true] }} {{ l.index(2) }} {{ d.get('z', 5) }}",
      '[1, 2] [2, 1, 3] (2, 3) 1 2 5',
    ],
    [
      "{% for g, xs in [{'k': 'a'}, {'k': 'B'}, {'k': 'A'}] | groupby('k') %}{{ g }}{{ xs | length }}{% endfor %}",
      'a2B1',
    ],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('statements', () => {
  it.each([
    [
      '{% for i in range(3) %}{% set k = i %}{% endfor %}{{ k }}|{% if true %}{% set q = 4 %}{% endif %}{{ q }}',
      '|4',
    ],
    ['{% set k = 9 %}{% for i in [1, 2] %}{{ k }}{% set k = i %}{{ k }}{% endfor %}{{ k }}', '91929'],
    ['{% set ns = namespace(n=0) %}{% for i in l %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}', '6'],
    [
      '{% for x in [[1, [2]], 3] recursive %}{% if x is sequence %}<{{ loop(x) }}>{% else %}{{ x }}@{{ loop.depth }}{% endif %}{% endfor %}',
      '<1@2<2@3>>3@1',
    ],
    [
      '{% for i in l if i > 1 %}{{ loop.index }}/{{ loop.length }}{{ loop.first }}{{ loop.revindex0 }}{{ loop.previtem }}{{ loop.nextitem }} {% endfor %}',
      '1/2True12 2/2False03 ',
    ],
    ["{% for i in l %}{{ loop.cycle('a', 'b') }}{{ loop.changed(i > 1) }}{% endfor %}", 'aTruebTrueaTrue'],
    [
      '{% for i in range(9) %}{% if i == 2 %}{% continue %}{% endif %}{% if i > 3 %}{% break %}{% endif %}{{ i }}{% else %}E{% endfor %}',
      '013',
    ],
    ['{% for i in [1] %}{% continue %}{% else %}E{% endfor %}', 'E'],
    [
      '{% macro m(a, b=a) %}{{ a }}{{ b }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1) }}{{ m(1, 2, 3, k=4) }}{{ m() }}',
      "11(){}12(3,){'k': 4}(){}",
    ],
    ['{% macro m(a) %}<{{ caller(a) }}>{% endmacro %}{% call(x) m(2) %}[{{ x }}]{% endcall %}', '<[2]>'],
    [
      "{% set a, b = 'xy' %}{{ b }}{{ a }}{% set x | upper %}{{ s }}{% endset %}{{ x }}{% filter replace('a', 'b') %}aa{% endfilter %}",
      'yxHELLO WORLDbb',
    ],
    [
      '{% with a=1, b=s %}{{ a }}{{ b }}{% set s = 2 %}{{ s }}{% endwith %}{{ s }}{{ a }}',
      '1Hello World2Hello World',
    ],
    ['{% generation %}{% set q = 1 %}{{ q }}{% endgeneration %}{{ q }}|', '1|'],
    ['{% block x %}{{ s }}{% endblock %}{{ self.x() }}', 'Hello WorldHello World'],
    ['{% if false %}{{ 1 | nosuchfilter }}{% endif %}{{ 2 if true else 1 is nosuchtest }}', '2'],
    [
      "{% set c = cycler(1, 2) %}{{ c.next() }}{{ c.next() }}{{ c.current }}{% set j = joiner('|') %}{{ j() }}a{{ j() }}b",
      '121a|b',
    ],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('white space', () => {
  it.each([
    ['  {% if true %}\n a\n  {% endif %}\nb\n', ' a\nb'],
    ["{% raw %}{{ x }}{% endraw %}{{ '{{' }} {#- x -#} z {%- if 1 +%} a{% endif %}", '{{ x }}{{z a'],
    ['  {%+ if true +%}\n a{% endif %}', '  \n a'],
    ['{%- if true -%}  a  {%- endif -%}  b\n\n', 'ab\n'],
    ['{# a #}\nb{#- c -#}  d', 'bd'],
    ["x {{- ' a ' -}} y\r\nz\r", 'x a y\nz'],
    ['{% for m in messages %}\n  {{ m.role }}\n{% endfor %}\n', '  system\n  user\n'],
    ['\u00a0{%- if true %}x{% endif %}', 'x'],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('what Jinja2 refuses', () => {
  it.each([
    ['{{ nothing.x }}', "'nothing' is undefined"],
    ['{{ nothing + 1 }}', "'nothing' is undefined"],
    ["{{ 'a' + 1 }}", 'can only concatenate str (not "int") to str'],
    ['{{ [1] + (2,) }}', 'can only concatenate list (not "tuple") to list'],
    ["{{ 1 < 'a' }}", "'<' not supported between instances of 'int' and 'str'"],
    ['{{ d.update({}) }}', "access to attribute 'update' of 'dict' object is unsafe."],
    ['{{ l.append(1) }}', "access to attribute 'append' of 'list' object is unsafe."],
    ["{{ ''.__class__.__mro__ }}", "access to attribute '__class__' of 'str' object is unsafe."],
    ['{% do l.append(1) %}', "Encountered unknown tag 'do'."],
    ["{% include 'x' %}", 'no loader for this environment specified'],
    ['{{ l | nosuchfilter }}', "No filter named 'nosuchfilter'."],
    ['{% for i in [] %}{{ i | nosuchfilter }}{% endfor %}', "No filter named 'nosuchfilter'."],
    ['{{ range(100001) }}', 'Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).'],
    ['{{ 1 / 0 }}', 'division by zero'],
    ['{% set a, b = [1, 2, 3] %}', 'too many values to unpack (expected 2)'],
    ['{% set d.x = 1 %}', 'cannot assign attribute on non-namespace object'],
    ['{% break %}', "'break' outside loop"],
    ['{% for i in none %}{% endfor %}', "'NoneType' object is not iterable"],
    ['{{ none | length }}', "object of type 'NoneType' has no len()"],
    ['{{ nothing | tojson }}', 'Object of type Undefined is not JSON serializable'],
    ["{{ raise_exception('roles must alternate') }}", 'roles must alternate'],
    ['{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}', "macro 'm' takes not more than 1 argument(s)"],
    [
      '{% if true %}',
      "Unexpected end of template. Jinja was looking for the following tags: 'elif' or 'else' or 'endif'.",
    ],
    ['{{ (1 }}', "unexpected '}', expected ')'"],
    ["{{ '%d' % 'a' }}", '%d format: a real number is required, not str'],
    ["{{ '%s' % (1, 2) }}", 'not all arguments converted during string formatting'],
    ['{{ {[1]: 2} }}', "unhashable type: 'list'"],
    ["{{ l | map('string') | length }}", "object of type 'generator' has no len()"],
  ])('%s', (template, reason) => {
    expect(() => render(template)).toThrow(reason);
  });
});

describe('what is refused here, and not in Jinja2', () => {
  it.each([
    ['{{ s.upper }}', 'its address in memory'],
    ["{{ l | map('string') }}", 'put the filter "list" behind it'],
    ['{{ l | random }}', 'another each time'],
    ['{{ lipsum() }}', 'another each time'],
    ['{{ (-8) ** 0.5 }}', 'a complex number'],
    ['{{ l | pprint }}', 'pprint is not done here'],
    ['{% autoescape true %}{{ s }}{% endautoescape %}', 'not escaped for HTML here'],
    ['{% block x scoped %}{% endblock %}', 'scoped and required blocks'],
    ["{{ strftime_now('%U') }}", "does not know the code '%U'"],
  ])('%s', (template, reason) => {
    expect(() => render(template)).toThrow(reason);
  });
});
