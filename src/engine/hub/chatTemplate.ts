/**
 * Chat templates, rendered as Jinja2 under Python renders them. `@huggingface/jinja` 0.5.11 ignores the characters that `strip`, `lstrip`
 * and `rstrip` should remove (Qwen3's template names line feeds alone) and takes JavaScript's white space for Python's. So these calls
 * are replaced in the parsed template by calls of our own functions. The library's clock knows half of the codes and names months in the
 * browser's language, and nothing bounds what a template does (`templateInterpreter.ts`).
 */
import { Template } from '@huggingface/jinja';
import { shownJson } from '@rl-playground/base/json';
import { formatMoment } from '@rl-playground/base/clock';
import { rendered } from './templateInterpreter.ts';

type Side = 'both' | 'start' | 'end';

/** The characters of Python's `str.isspace`. JavaScript's `trim` lacks U+001C to U+001F and U+0085, and removes U+FEFF. */
const WHITE_SPACE =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** Python's `str.strip(characters)`, `lstrip` and `rstrip`. */
function stripped(text: string, characters: string, side: Side): string {
  const set = new Set(characters);
  const points = [...text];
  let from = 0;
  let to = points.length;
  while (side !== 'end' && from < to && set.has(points[from] ?? '')) from++;
  while (side !== 'start' && to > from && set.has(points[to - 1] ?? '')) to--;
  return points.slice(from, to).join('');
}

/** The argument of a filter as text, as `str` writes it; an undefined value is empty. */
function asText(value: unknown): unknown {
  if (value == null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? `${value}` : value;
}

/** The function that replaces a method in templates. It takes the text as its first argument. */
function stripFunction(method: string, side: Side) {
  return (text: unknown, characters?: unknown): string => {
    if (typeof text !== 'string') throw new Error(`${method} needs a text, found ${shownJson(text, 80)}`);
    if (characters != null && typeof characters !== 'string')
      throw new Error(`${method} takes a text of characters, found ${shownJson(characters, 80)}`);
    return stripped(text, characters ?? WHITE_SPACE, side);
  };
}

const FUNCTIONS: ReadonlyMap<string, (text: unknown, characters?: unknown) => string> = new Map([
  ['strip', stripFunction('strip', 'both')],
  ['lstrip', stripFunction('lstrip', 'start')],
  ['rstrip', stripFunction('rstrip', 'end')],
  ['trim', (value, characters) => stripFunction('trim', 'both')(asText(value), characters)],
]);

/** Names for our functions that no template uses. */
const inTemplate = (name: string): string => `__python_${name}`;

interface Node {
  readonly type: string;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function nameOf(node: unknown): string | null {
  return isNode(node) && node.type === 'Identifier' && 'value' in node && typeof node.value === 'string'
    ? node.value
    : null;
}

/** A node of the template language that calls one of `FUNCTIONS`. */
function callOf(name: string, args: readonly unknown[]): unknown {
  const [call] = new Template(`{{ ${inTemplate(name)}(0) }}`).parsed.body;
  return Object.assign(call ?? {}, { args: [...args] });
}

/** The `callee` and the arguments of a call; any other node itself, without arguments. */
function calleeOf(node: unknown): { readonly callee: unknown; readonly args: readonly unknown[] } {
  if (isNode(node) && node.type === 'CallExpression' && 'callee' in node && 'args' in node)
    return { callee: node.callee, args: Array.isArray(node.args) ? node.args : [] };
  return { callee: node, args: [] };
}

const CLOCK = 'strftime_now';

/** Returns the node or its replacement: `x.lstrip(c)` and `x | trim` become calls. */
function replaced(node: Node): unknown {
  if (node.type === 'FilterExpression' && 'operand' in node && 'filter' in node) {
    const { callee, args } = calleeOf(node.filter);
    return nameOf(callee) === 'trim' ? callOf('trim', [node.operand, ...args]) : node;
  }
  const { callee, args } = calleeOf(node);
  if (node.type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return node;
  if (!('object' in callee && 'property' in callee && 'computed' in callee) || callee.computed === true)
    return node;
  const method = nameOf(callee.property);
  return method?.endsWith('strip') === true && FUNCTIONS.has(method)
    ? callOf(method, [callee.object, ...args])
    : node;
}

/** Rewrites a parsed template from the leaves up, in place. */
function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (value instanceof Map) return new Map([...value].map(([key, of]) => [rewritten(key), rewritten(of)]));
  if (!isNode(value)) return value;
  for (const [key, part] of Object.entries(value)) Reflect.set(value, key, rewritten(part));
  return replaced(value);
}

export class ChatTemplate {
  readonly #template: Template;

  /** @throws Error if the text is no template. */
  constructor(text: string) {
    this.#template = new Template(text);
    rewritten(this.#template.parsed);
  }

  /**
   * Renders the template. `moment` is the time it takes for the present, as `localMoment` gives it.
   *
   * @throws TemplateLimitError, and Error if the template raises one or uses what the language lacks.
   */
  render(variables: Readonly<Record<string, unknown>>, moment: number): string {
    const functions = [...FUNCTIONS].map(([name, of]) => [inTemplate(name), of] as const);
    return rendered(this.#template.parsed, {
      [CLOCK]: (format: string): string => formatMoment(moment, format),
      ...variables,
      ...Object.fromEntries(functions),
    });
  }
}
