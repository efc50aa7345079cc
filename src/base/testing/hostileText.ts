/** Random, hostile and huge texts for whatever reads the answers of a model. */
import { pick, uniformInt } from '../random.ts';

type Draw = () => number;

/** The length of the largest texts, in characters. */
export const HUGE = 100_000;

const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');
const MARKS = '0123456789+-*/^.,:;=()[]{}<>|&!?\\"\'_$%#~ \n\t';
const UNICODE =
  'é ß ſ İ ı Ω ж 中 日 한 ع א ٣ ४ ７ 𝟕 ½ ² − – × ÷ ∞ √ π ∧ ∨ ¬ → ↔ ⊢ 👍 👨‍👩‍👧 ﬁ \u202e \u200b \u0085 \u0000 \u001c \ud800 \udc00 \uffff \u{10ffff}'
    .split(' ')
    .concat(['e\u0301', '\u00a0', '\u2028', '\ufeff', '\u3000']);

/** Parts of answers, and characters that some parser gives a meaning. */
const WORDS = [
  '<answer> </answer> <think> </think> [ANSWER] answer: #### \\boxed{ \\boxed \\frac{ \\sqrt{ \\text{ \\begin{array} \\\\ ^{ { } ( )',
  '[ ] " \' ` $ % 1 -1 0 00 3.14 .5 1e9 1e999999999 9**9**9**9 2^99999 1/0 NaN Infinity -0 0x1f 1_0 None True Yes No null',
  '__proto__ constructor toString x i j A a fool and ∧ ¬ → + - * / ** == = , cm million 1,234 🔥 lambda: import() eval(1)',
]
  .join(' ')
  .split(' ')
  .concat([' ', '\n', '\t', '\r\n', ', ', ' and ', 'The answer is ', ' + ', ' = ']);

/** Each of these many times over is a text that breaks careless patterns and parsers. */
const PIECES = WORDS.concat(
  [
    '9',
    '1 ',
    '1\n',
    '1+',
    '1-',
    '1*',
    '1/',
    '1,',
    'a',
    'a ',
    'a,',
    'ab',
    '((',
    '[[',
    '{"a":',
    '["',
    '"\\',
    '1.',
    '.1',
  ],
  [
    '-',
    '--',
    '+-',
    '¬(',
    '(P ∧ ',
    'P → ',
    '<answer></answer>',
    '<answer',
    '1 2 3\n',
    '_ ',
    '\\frac',
    '1e',
    '=1',
    '- ',
  ],
);

/** Texts of about `length` characters, the same for every run: two of each piece that is chosen by its place. */
export function repeatedTexts(length: number, chosen: (place: number) => boolean = () => true): string[] {
  return PIECES.filter((_, place) => chosen(place)).flatMap((piece) => {
    const body = piece.repeat(Math.floor(length / piece.length));
    return [body, `${body}!`];
  });
}

function repeatDrawn(draw: Draw, count: number, one: (draw: Draw) => string): string {
  return Array.from({ length: count }, () => one(draw)).join('');
}

/** Draws a count: mostly small, in one case of 20 large, and in one of 300 huge. `unit` is the length of what is repeated. */
function drawnCount(draw: Draw, unit: number): number {
  const kind = draw();
  const most = kind < 1 / 300 ? HUGE : kind < 1 / 20 ? 5000 : 60;
  return Math.max(1, Math.floor((draw() * most) / unit));
}

function character(draw: Draw): string {
  const kind = draw();
  return pick(draw, kind < 0.5 ? [...MARKS] : kind < 0.9 ? [...ASCII] : UNICODE);
}

/** Random characters. Long texts repeat one drawn block, which is cheaper than drawing each character. */
function characters(draw: Draw): string {
  const count = drawnCount(draw, 1);
  if (count < 1000) return repeatDrawn(draw, count, character);
  const block = repeatDrawn(draw, 997, character);
  return block.repeat(Math.ceil(count / block.length)).slice(0, count);
}

/** One short piece many times, with another end. */
function repetition(draw: Draw): string {
  const piece = repeatDrawn(draw, uniformInt(draw, 1, 3), (more) => pick(more, WORDS));
  return piece.repeat(drawnCount(draw, piece.length)) + pick(draw, WORDS);
}

/** Brackets within brackets, closed or not. */
function nesting(draw: Draw): string {
  const [open, close] = pick(draw, [
    ['(', ')'],
    ['[', ']'],
    ['{', '}'],
    ['\\boxed{', '}'],
    ['\\frac{', '}{1}'],
    ['(1+', ')'],
    ['-', ''],
    ['¬', ''],
    ['<answer>', '</answer>'],
  ] as const);
  const depth = drawnCount(draw, open.length);
  return (
    open.repeat(depth) + pick(draw, WORDS) + close.repeat(draw() < 0.5 ? depth : uniformInt(draw, 0, depth))
  );
}

function number(draw: Draw): string {
  const digits = repeatDrawn(draw, Math.min(20, drawnCount(draw, 1)), (more) => `${uniformInt(more, 0, 9)}`);
  const long = digits.repeat(drawnCount(draw, digits.length));
  return `${pick(draw, ['', '-', '+', '--', '$'])}${long}${pick(draw, ['', '.', `.${long}`, `e${digits}`, `/${long}`, '%'])}`;
}

/** The right answer with a few changes. */
function nearly(draw: Draw, answer: string): string {
  let text = answer;
  for (let edits = uniformInt(draw, 0, 3); edits > 0; edits--) {
    const at = uniformInt(draw, 0, text.length);
    const cut = uniformInt(draw, 0, 2);
    text = text.slice(0, at) + (draw() < 0.7 ? pick(draw, WORDS) : character(draw)) + text.slice(at + cut);
  }
  return draw() < 0.02 ? text.repeat(Math.ceil(HUGE / (20 * (text.length + 1)))) : text;
}

/** One text; `answer` is right for what reads it. Draws decide everything. */
export function hostileText(draw: Draw, answer: string): string {
  const kind = draw();
  if (kind < 0.35) return nearly(draw, answer);
  if (kind < 0.5) return characters(draw);
  if (kind < 0.65) return repeatDrawn(draw, Math.min(400, drawnCount(draw, 4)), (more) => pick(more, WORDS));
  if (kind < 0.8) return repetition(draw);
  return kind < 0.9 ? nesting(draw) : number(draw);
}
