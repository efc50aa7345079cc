/**
 * Cases in which math-verify 0.9.0 (Apache-2.0) tells two answers equal or not, each after what one of its public tests asks, with values of
 * our own. The verdicts are its own. Left out are the facts that its tests hold and no grader here tells: approximations, the solving of
 * inequalities, matrices, trigonometric identities, and the finding of formulas in a text.
 */
export interface MathVerifyCase {
  /** The fact that the test is about. */
  readonly id: string;
  readonly gold: string;
  readonly given: string;
  readonly correct: boolean;
}

const equal = (id: string, gold: string, given: string): MathVerifyCase => ({
  id,
  gold,
  given,
  correct: true,
});
const unequal = (id: string, gold: string, given: string): MathVerifyCase => ({
  id,
  gold,
  given,
  correct: false,
});

export const MATH_VERIFY_CASES: readonly MathVerifyCase[] = [
  equal('negative number', '-8', '-8'),
  unequal('negative number and its opposite', '-8', '8'),
  equal('thousands with commas', '6318000', '6,318,000'),
  equal('thousands with braces', '27418', '27{,}418'),
  equal('thousands with a thin space', '3000', '3 000'),
  equal('zeros behind the point', '2000', '2000.0'),
  equal('thousands and decimals', '4200.75', '4,200.75'),
  equal('decimal comma', '3.86', '3,86'),
  equal('decimal comma behind four digits', '2400.35', '2400,35'),
  equal('no digit before the point', '0.7', '.7'),
  equal('dollar sign before', '2350.25', '\\$2,350.25'),
  equal('euro sign behind', '2350.25', '2,350.25€'),
  equal('unit behind', '2350.25', '2,350.25 m^2'),
  equal('unit in text', '2/7', '\\frac{2}{7} \\text{ meters}'),
  equal('unit in bold', '2/7', '\\frac{2}{7} \\textbf{ meters}'),
  equal('fraction with a slash', '11/4', '\\frac{11}{4}'),
  equal('negative fraction', '-11/4', '-\\frac{11}{4}'),
  equal('fraction without braces', '2/7', '\\frac27'),
  equal('display fraction', '2/7', '\\dfrac{2}{7}'),
  equal('continued fraction', '2/7', '\\cfrac{2}{7}'),
  equal('text fraction', '2/7', '\\tfrac{2}{7}'),
  equal('large brackets', '2/7', '\\left( \\frac{2}{7} \\right)'),
  equal('name before it', '2/7', 'k = \\frac{2}{7}'),
  equal('function before it', '6', 'f(x) = 6'),
  equal('root without braces', '\\sqrt{5}', '\\sqrt5'),
  equal('root of a square', '3\\sqrt{2}', '\\sqrt{18}'),
  unequal('number and its product with a root', '7', '7\\sqrt{3}'),
  equal('root in a denominator', '\\frac{\\sqrt{3}}{3}', '\\frac{1}{\\sqrt{3}}'),
  equal('per cent as a word', '37\\%', '37 percent'),
  equal('per cent cut short', '37\\%', '37 pct'),
  equal('per cent left out', '37\\%', '37'),
  equal('per cent as a fraction', '\\frac{37}{100}', '37\\%'),
  equal('half-open interval', '[2,5)', '[2,5)'),
  unequal('interval with another end', '[2,8)', '[2,5)'),
  unequal('interval open at the other side', '(2,8)', '[2,8)'),
  equal('interval behind its variable', '[-3,4]', 'x \\in [-3,4]'),
  equal('infinite end', '(4, \\infty)', '(4, \\infty)'),
  equal('set in another order', '\\{3,8\\}', '\\{8,3\\}'),
  equal('list with “and”', '5 \\text{ and } 9', '5,9'),
  unequal('list with another member', '23, 57, \\text{ and } 91', '23, 58, \\text{ and } 91'),
  unequal('member of a list', '5,9', '9'),
  equal('both signs', '\\pm 13', '\\{-13, 13\\}'),
  unequal('one of both signs', '\\pm 13', '13'),
  equal('pair behind its names', '(p,q)=(5,4)', '(5,4)'),
  unequal('pair in another order', '(5,4)', '(4,5)'),
  equal('pairs in another order', '(8,5),(5,8)', '(5,8),(8,5)'),
  unequal('pairs without one', '(8,5),(5,8),(1,1)', '(5,8),(8,5)'),
  equal('relation', 'x \\ge 6', 'x \\geq 6'),
  equal('relation in ASCII', 'x < 4', 'x \\lt 4'),
  equal('sum in another order', '2-3p', '-3p+2'),
  equal('product multiplied out', '(x+1)(x-4)', 'x^2-3x-4'),
  equal('equation in another order', '3x+2y=7', '2y+3x=7'),
  unequal('side of an equation', '9 = 4a+c', '4a+c'),
  equal('time', '11:45', '11:45'),
  unequal('another time', '11:45', '1:45'),
  equal('word in text', '\\text{odd}', 'odd'),
  unequal('another word', '\\text{odd}', '\\text{even}'),
  unequal('another letter', 'd', '\\text{E}'),
  equal('scientific notation', '0.00001', '10^{-5}'),
];
