/** `npm run --silent lab -- sentences`: the words of the page, as a list to read through: those of JSX, of attributes, notices, refusals and reasons. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram } from '../src/cli/program.ts';
import { repository } from '../src/cli/tools.ts';

interface Sentence {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly text: string;
}

/** A node of the syntax tree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
const nodesIn = (value: unknown): Node[] => (Array.isArray(value) ? value : [value]).filter(isNode);

/** The mark of a value that the program puts into a sentence. */
const VALUE = '…';
/** Attributes that no person reads. */
const SILENT = /^(?:className|id|key|d|viewBox|style|href|src|type|role|points|transform|data-.*)$/;
/** Elements inside a sentence; any other begins a text of its own. */
const INLINE = /^(?:a|b|i|em|strong|code|span|kbd|sub|sup|var|abbr)$/;

/** The text of a node that is words; null for any other. A value between words is `VALUE`. */
function wordsOf(node: Node): string | null {
  const [first] = nodesIn(node['expression']);
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null;
  if (node.type === 'JSXText') return String(node['value']).replaceAll(/\s+/g, ' ');
  if (node.type === 'JSXExpressionContainer') return first === undefined ? null : wordsOf(first);
  if (node.type === 'TemplateLiteral')
    return nodesIn(node['quasis'])
      .map(({ value }) => (value as { readonly cooked: string }).cooked)
      .join(VALUE);
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const parts = [...nodesIn(node['left']), ...nodesIn(node['right'])].map(wordsOf);
    return parts.every((part) => part === null) ? null : parts.map((part) => part ?? VALUE).join('');
  }
  return isInline(node) ? childrenText(node) : null;
}

/** The name of an element or attribute; empty for one of several parts. */
function nameOf(node: unknown): string {
  const name = nodesIn(node)[0]?.['name'];
  return typeof name === 'string' ? name : '';
}

function isInline(node: Node): boolean {
  return node.type === 'JSXElement' && INLINE.test(nameOf(nodesIn(node['openingElement'])[0]?.['name']));
}

function childrenText(node: Node): string {
  return nodesIn(node['children'])
    .map((child) => wordsOf(child) ?? VALUE)
    .join('');
}

/** Two words at least; names of files, keys and classes are none. */
const reads = (text: string): boolean =>
  /\p{L}{2,}[^\p{L}]* [^\p{L}]*\p{L}/u.test(text) && !/^[\w-]+(?: [\w-]+)*--/.test(text);

/** The texts of a source file that a person may read, in order. */
export function sentencesOf(name: string, source: string): Sentence[] {
  const found: Sentence[] = [];
  const note = (start: number, text: string): void => {
    const said = text.replaceAll(/\s+/g, ' ').trim();
    if (reads(said)) found.push({ line: source.slice(0, start).split('\n').length, text: said });
  };
  const visit = (node: Node, told: boolean): void => {
    if (/^(?:Import|TS|Export(?:All|Named)Declaration$)/.test(node.type) && node['source']) return;
    if (node.type.startsWith('TS') && node.type !== 'TSAsExpression' && node.type !== 'TSSatisfiesExpression')
      return;
    if (node.type === 'JSXAttribute' && SILENT.test(nameOf(node['name']))) return;
    const isParent = /^JSX(?:Element|Fragment)$/.test(node.type);
    const text = isParent ? childrenText(node) : wordsOf(node);
    if (text !== null && !told) note(nodesIn(node['children'])[0]?.start ?? node.start, text);
    for (const value of Object.values(node))
      for (const child of nodesIn(value)) visit(child, text !== null && wordsOf(child) !== null);
  };
  for (const statement of parseSync(name, source).program.body) visit(statement as unknown as Node, false);
  return found;
}

const FOLDERS = ['src/page', 'src/run', 'src/tasks', 'src/bridges', 'src/base'];

const line = () =>
  command(
    'npm run --silent lab -- sentences',
    'Prints every text of two words or more that the page and its runs may show, one on each line, with file and line.',
    'src/page/learn',
  ).argument('[folder...]', `folders to read; without one ${FOLDERS.join(', ')}`);

export default simpleProgram(line, (_, folders) => {
  const words = ['ls-files', ...(folders.length > 0 ? folders : FOLDERS)];
  const files = execFileSync('git', words, { cwd: repository, encoding: 'utf8' }).split('\n');
  for (const file of files.filter(
    (name) => /\.tsx?$/.test(name) && !/\.(?:test|suite)\.|\/testing\//.test(name),
  ))
    for (const { line: at, text } of sentencesOf(file, readFileSync(join(repository, file), 'utf8')))
      printLine(`${file}:${at}: ${text}`);
});
