import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { multisets, sumOver } from '../../define/wholeNumbers.ts';
import type { ScoringMode } from '../../define/types.ts';
import { firstOf, needed } from '../shared/attempts.ts';
import { defineGymTask, whole, type ConfigOf } from '../shared/define.ts';
import {
  atomsOf,
  entails,
  type Formula,
  formulaText,
  OPERATORS,
  readFormula,
  type TruthTable,
  truthTable,
} from './formula.ts';

const fields = {
  min_vars: whole('Fewest variables', 'Fewest different letters.', 2, 10, 2),
  max_vars: whole('Most variables', 'Most different letters.', 2, 10, 4),
  min_statements: whole('Fewest premises', 'Fewest formulas that are given.', 2, 10, 2),
  max_statements: whole('Most premises', 'Most formulas that are given.', 2, 10, 4),
  min_complexity: whole('Least depth', 'Depth of the simplest formulas; 1 is a letter alone.', 1, 5, 1),
  max_complexity: whole('Largest depth', 'Depth of the most nested formulas.', 1, 5, 3),
};
type Config = ConfigOf<typeof fields>;

const VARIABLES = Array.from('PQRSTUVWXY');
/** Atoms of a truth table, beyond which an answer counts as one that does not follow: its size is two to this power. */
const MOST_ATOMS = 14;

/** A formula whose every branch is `depth` deep; a variable alone is 1 deep. */
function drawFormula(draw: Draw, depth: number, variables: readonly string[]): Formula {
  if (depth <= 1) return { kind: 'atom', name: pick(draw, variables) };
  const operator = pick(draw, ['¬' as const, ...OPERATORS]);
  const left = drawFormula(draw, depth - 1, variables);
  if (operator === '¬') return { kind: 'not', operand: left };
  return { kind: 'binary', operator, left, right: drawFormula(draw, depth - 1, variables) };
}

const same = (a: TruthTable, b: TruthTable): boolean => a.every((word, i) => word === b[i]);
const isAlways = (table: TruthTable, word: number): boolean => table.every((each) => each === word);
const isTautology = (table: TruthTable): boolean => isAlways(table, 0xffffffff);

/** Upstream's verdicts on a formula: it follows, it follows but says nothing, it does not follow. */
const [TRIVIAL, UNFOUNDED] = [0.25, 0.05];

/** Premises as truth tables, with those of the variables alone, over the same atoms. */
const knownOver = (atoms: readonly string[], premises: readonly Formula[], variables: readonly string[]) => ({
  premises: premises.map((premise) => truthTable(premise, atoms)),
  variables: variables.map((name) => truthTable({ kind: 'atom', name }, atoms)),
});
type Known = ReturnType<typeof knownOver>;

/** The `strict` score of a conclusion over the variables. */
function strictVerdict(conclusion: TruthTable, { premises, variables }: Known): number {
  if (isTautology(conclusion) || !entails(premises, conclusion)) return 0;
  if (premises.some((premise) => same(premise, conclusion))) return 0;
  return variables.some((variable) => same(variable, conclusion)) ? TRIVIAL : 1;
}

/**
 * Scores a conclusion. `strict` gives 1 for a formula over the variables that follows, is no tautology and repeats no premise, and 0.25 if
 * it only says a variable. `upstream` gives 1 for any formula that follows, 0.25 for a bare atom or a tautology, and 0.05 for one that does
 * not follow; any other text is an atom.
 */
function conclusionScore(
  candidate: string,
  { premises, variables }: { readonly premises: readonly string[]; readonly variables: readonly string[] },
  mode: ScoringMode,
): number {
  for (const capital of candidate.matchAll(/[A-Z]/g)) if (!variables.includes(capital[0])) return 0;
  const formula = readFormula(candidate);
  if (formula === null) return 0;
  const given = premises.map((premise) => readFormula(premise)).filter((premise) => premise !== null);
  const atoms = atomsOf(formula);
  if (mode === 'strict' && [...atoms].some((atom) => !variables.includes(atom))) return 0;
  for (const premise of given) atomsOf(premise, atoms);
  if (mode === 'strict') for (const variable of variables) atoms.add(variable);
  const names = [...atoms];
  if (names.length > MOST_ATOMS) return mode === 'strict' ? 0 : UNFOUNDED;
  const table = truthTable(formula, names);
  const known = knownOver(names, given, variables);
  if (mode === 'strict') return strictVerdict(table, known);
  if (!entails(known.premises, table)) return UNFOUNDED;
  return formula.kind === 'atom' || isTautology(table) ? TRIVIAL : 1;
}

/** The numbers of attempts for premises without contradiction, for a conclusion, and for both together. */
const [MOST_PREMISES, MOST_CONCLUSIONS, MOST_ATTEMPTS] = [100, 60, 50];

/** Premises that can all be true. */
function drawPremises(draw: Draw, config: Config, variables: readonly string[]): Formula[] {
  const count = uniformInt(draw, config.min_statements, config.max_statements);
  const premises: Formula[] = [];
  let all: TruthTable | null = null;
  for (let attempt = 0; premises.length < count && attempt < MOST_PREMISES; attempt++) {
    const depth = uniformInt(draw, config.min_complexity, config.max_complexity);
    const premise = drawFormula(draw, depth, variables);
    const table = truthTable(premise, variables);
    const known: TruthTable = all ?? table;
    const both = known.map((word, i) => word & (table[i] ?? 0));
    if (isAlways(both, 0)) continue;
    premises.push(premise);
    all = both;
  }
  return premises;
}

function drawLiteral(draw: Draw, variables: readonly string[]): Formula {
  const atom: Formula = { kind: 'atom', name: pick(draw, variables) };
  return draw() < 0.25 ? { kind: 'not', operand: atom } : atom;
}

/** A formula of two literals that is a right answer, or null. */
function drawConclusion(
  draw: Draw,
  premises: readonly Formula[],
  variables: readonly string[],
): string | null {
  const known = knownOver(variables, premises, variables);
  return firstOf(MOST_CONCLUSIONS, () => {
    const conclusion: Formula = {
      kind: 'binary',
      operator: pick(draw, OPERATORS),
      left: drawLiteral(draw, variables),
      right: drawLiteral(draw, variables),
    };
    return strictVerdict(truthTable(conclusion, variables), known) === 1 ? formulaText(conclusion) : null;
  });
}

function question(premises: readonly string[]): string {
  const list = premises.map((premise, i) => `${i + 1}. ${premise}`).join('\n');
  return `This is a problem of propositional logic: find one conclusion that follows from the premises below.

About the answer:
- Write the conclusion as one formula, with these signs:
    - OR = ∨
    - AND = ∧
    - IMPLIES = →
    - IFF = ↔
    - NOT = ¬
- It should say something: no variable alone, nothing that is true in any case, no premise over again.

Premises:
${list}

What can be concluded from them?`;
}

export const propositionalLogic = defineGymTask({
  name: 'propositional_logic',
  title: 'Propositional logic',
  summary: 'Find a formula that follows from the given ones.',
  family: 'logic',
  fields,
  levels: [
    { max_vars: 3, max_statements: 2, max_complexity: 2 },
    { max_statements: 3, max_complexity: 2 },
    {},
    { min_vars: 3, max_vars: 6, max_statements: 6 },
    { min_vars: 4, max_vars: 10, max_statements: 10, max_complexity: 5 },
  ],
  metadata: (z) => ({ premises: z.array(z.string()), variables: z.array(z.string()) }),
  space: ({ max_vars, min_statements, max_statements, max_complexity }) =>
    max_complexity > 1 ? null : sumOver(min_statements, max_statements, (size) => multisets(max_vars, size)),
  draw(draw, config) {
    const error = `propositional_logic: none of ${MOST_ATTEMPTS} sets of premises had a conclusion; choose more variables or fewer premises.`;
    return needed(MOST_ATTEMPTS, error, () => {
      const variables = VARIABLES.slice(0, uniformInt(draw, config.min_vars, config.max_vars));
      const formulas = drawPremises(draw, config, variables);
      const answer =
        formulas.length < config.min_statements ? null : drawConclusion(draw, formulas, variables);
      if (answer === null) return null;
      const premises = formulas.map(formulaText);
      return {
        question: question(premises),
        key: premises.toSorted().join('; '),
        answer,
        data: { premises, variables, example_answer: answer },
      };
    });
  },
  scoreAnswer: (candidate, { metadata: { premises, variables } }, mode) =>
    conclusionScore(candidate, { premises, variables }, mode),
});
