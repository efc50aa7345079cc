/** LaTeX formulas as plain text, as far as pylatexenc's `latex2text` matters to the Tinker cookbook's grader. */
import { unless } from '@rl-playground/base/errors';
import { Scanner } from '../python/scanner.ts';

/** Macros that look like their names. */
const FUNCTION_NAMES =
  'sin cos tan sec csc cot arcsin arccos arctan sinh cosh tanh coth ln lg log exp max min sup inf lim arg deg det dim gcd hom ker Pr';

/** Names, each with the character that it stands for. */
const CHARACTERS = `alpha α  beta β  gamma γ  delta δ  epsilon ϵ  varepsilon ε  zeta ζ  eta η  theta θ  vartheta ϑ  iota ι  kappa κ
  lambda λ  mu μ  nu ν  xi ξ  pi π  varpi ϖ  rho ρ  varrho ϱ  sigma σ  varsigma ς  tau τ  upsilon υ  phi ϕ  varphi φ
  chi χ  psi ψ  omega ω  Gamma Γ  Delta Δ  Theta Θ  Lambda Λ  Xi Ξ  Pi Π  Sigma Σ  Upsilon Υ  Phi Φ  Psi Ψ  Omega Ω
  infty ∞  cup ∪  cap ∩  cdot ·  times ×  div ÷  pm ±  mp ∓  ast ∗  star ⋆  circ ∘  bullet ∙  le ≤  leq ≤  ge ≥  geq ≥
  ne ≠  neq ≠  approx ≈  equiv ≡  sim ∼  simeq ≃  cong ≅  propto ∝  ll ≪  gg ≫  in ∈  notin ∉  ni ∋  subset ⊂
  subseteq ⊆  supset ⊃  supseteq ⊇  setminus ∖  emptyset ∅  forall ∀  exists ∃  neg ¬  land ∧  wedge ∧  lor ∨  vee ∨
  to →  rightarrow →  leftarrow ←  leftrightarrow ↔  Rightarrow ⇒  Leftarrow ⇐  Leftrightarrow ⇔  mapsto ↦  angle ∠
  triangle △  perp ⊥  parallel ∥  mid ∣  partial ∂  nabla ∇  sum ∑  prod ∏  int ∫  ldots …  dots …  cdots ⋯  prime ′
  hbar ℏ  ell ℓ  Re ℜ  Im ℑ  aleph ℵ  oplus ⊕  otimes ⊗  langle ⟨  rangle ⟩  lfloor ⌊  rfloor ⌋  lceil ⌈  rceil ⌉
  textdegree °  degree °`;

const OTHERS = {
  quad: '  ',
  qquad: '    ',
  textbackslash: '\\',
  backslash: '\\',
  bmod: 'mod',
  '\\': '\n',
  '-': '\u00ad',
  '|': '‖',
};

/** The characters of macros by their names. Other macros leave only the text in braces behind them. */
const LATEX_SYMBOLS: ReadonlyMap<string, string> = new Map<string, string>([
  ...FUNCTION_NAMES.split(' ').map((name) => [name, name] as const),
  ...Array.from(
    CHARACTERS.matchAll(/(\S+) (\S+)/g),
    ([, name = '', character = '']) => [name, character] as const,
  ),
  ...Array.from('{}_&#%$', (sign) => [sign, sign] as const),
  ...Array.from(',;: ', (sign) => [sign, ' '] as const),
  ...Object.entries(OTHERS),
]);

/** Braces, environments and arguments within each other; Python's own limit on recursion is near. */
const MOST_DEPTH = 100;
const MATRICES: ReadonlySet<string> = new Set(
  'array pmatrix bmatrix smallmatrix psmallmatrix bsmallmatrix'.split(' '),
);
const MACRO = /\\(?:([a-zA-Z]+)\*?[ \t\n]*|([^]?))/uy;
const PLAIN = /[^\\{}&~]+/y;
const PLAIN_IN_BRACKETS = /[^\\{}\]&~]+/y;
const SPACE = /\s*/y;
const NAME = /\{([^{}\\]*)\}/y;

/** A matrix as text, such as `[ 1 2; 3 4 ]`. */
function matrixText(body: string): string {
  const rows = body.split('\n').map((row) =>
    row
      .split('   ')
      .map((cell) => cell.trim())
      .join(' '),
  );
  return `[ ${rows.join('; ')} ]`;
}

/** Dashes and quotes as LaTeX sets them. */
function typeset(plain: string): string {
  return plain.replaceAll('---', '—').replaceAll('--', '–').replaceAll('``', '“').replaceAll("''", '”');
}

/** Numerators and denominators that need no brackets on one line. */
const SIMPLE_ABOVE = /^[\p{L}\p{N}.]+$/u;
const SIMPLE_BELOW = /^(?:[\p{N}.]+|\p{L})$/u;
const SIMPLE_POWER = /^(?:[-+]?[\p{N}]+|\p{L})$/u;
const bracketed = (text: string, simple: RegExp): string => (simple.test(text) ? text : `(${text})`);

/** Reads one formula from left to right; every part of it is read once. */
class Reader extends Scanner {
  private readonly exact: boolean;

  constructor(formula: string, exact: boolean) {
    super(formula);
    this.exact = exact;
  }

  /** Everything up to `closing`, or `\end`, or the end of the formula. Throws a RangeError where it nests too deeply. */
  upTo(closing: string, depth: number): { text: string; closed: boolean } {
    if (depth > MOST_DEPTH) throw new RangeError(`More than ${MOST_DEPTH} levels.`);
    let text = '';
    while (this.at < this.text.length) {
      const plain = this.match(closing === ']' ? PLAIN_IN_BRACKETS : PLAIN);
      if (plain !== null) {
        text += typeset(plain[0]);
        continue;
      }
      const character = this.peek();
      if (character === closing) {
        this.at++;
        return { text, closed: true };
      }
      if (character === '\\') {
        if (closing === '\\end' && this.take('\\end')) {
          this.match(NAME);
          return { text, closed: true };
        }
        text += this.macro(depth);
        continue;
      }
      this.at++;
      if (character === '{') {
        const group = this.upTo('}', depth + 1).text;
        text += this.exact && text.endsWith('^') ? bracketed(group, SIMPLE_POWER) : group;
      } else if (character === '&') text += '   ';
      else if (character === '~') text += ' ';
      else if (character !== '}') text += character;
    }
    return { text, closed: closing === '' };
  }

  /** A macro's argument in braces, or the next macro or character, or null. */
  private argument(depth: number): string | null {
    this.match(SPACE);
    if (this.at >= this.text.length || this.peek() === '}') return null;
    if (this.take('{')) {
      const { text, closed } = this.upTo('}', depth + 1);
      return closed ? text : null;
    }
    if (this.peek() === '\\') {
      const [, name, symbol] = this.match(MACRO) ?? [];
      return LATEX_SYMBOLS.get(name ?? symbol ?? '') ?? '';
    }
    const character = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    this.at += character.length;
    return character;
  }

  private macro(depth: number): string {
    const [, word, symbol = ''] = this.match(MACRO) ?? [];
    const name = word ?? symbol;
    switch (name) {
      case 'frac':
      case 'nicefrac': {
        const above = this.argument(depth);
        const below = above === null ? null : this.argument(depth);
        if (above === null || below === null) return `%s/%s${above ?? ''}`;
        return this.exact
          ? `${bracketed(above, SIMPLE_ABOVE)}/${bracketed(below, SIMPLE_BELOW)}`
          : `${above}/${below}`;
      }
      case 'sqrt': {
        const degree = this.take('[') ? this.upTo(']', depth + 1).text : '2';
        // Pylatexenc leaves the degree out.
        const root = this.exact && degree !== '2' ? `root${degree}` : '√';
        return `${root}(${this.argument(depth) ?? ''})`;
      }
      case 'begin':
        return this.environment(depth);
      default:
        return LATEX_SYMBOLS.get(name) ?? '';
    }
  }

  private environment(depth: number): string {
    const name = this.match(NAME)?.[1] ?? '';
    if (name === 'array') {
      if (this.take('[')) this.upTo(']', depth + 1);
      if (this.take('{')) this.upTo('}', depth + 1);
    }
    const { text } = this.upTo('\\end', depth + 1);
    return MATRICES.has(name) ? matrixText(text) : text;
  }
}

/**
 * A formula as text: `\frac{a}{b}` → `a/b`, `\sqrt{x}` → `√(x)`, symbols as characters, matrices as `[ 1 2; 3 4 ]`, without braces and
 * unknown macros. If it is `exact`, brackets keep a compound fraction or power together, and a root keeps its degree. It is null if the formula
 * nests too deeply. Linear in its length.
 */
export function latexToText(formula: string, exact = false): string | null {
  return unless([RangeError], null, () => new Reader(formula, exact).upTo('', 0).text);
}
