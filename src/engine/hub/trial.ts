/**
 * Tries the patterns of a model's tokenizer and its chat template when it is loaded. Both are programs by the model's makers, and nothing
 * stops a pattern that has begun. So the steps of patterns over texts that make them backtrack are counted, and a template is stopped by
 * its interpreter's own bounds. No clock decides: a sound file passes on the slowest machine.
 *
 * The trial can't foresee everything. A pattern that only backtracks over texts unlike all those that were tried takes its time.
 */
import { grouped } from '@rl-playground/base/text';
import { PatternReader, type Pattern } from './tokens/oniguruma.ts';
import { stepsOf } from './tokens/patternSteps.ts';
import { patternsIn, pumpedUnits } from './pumpedUnits.ts';
import { ModelFileError, type ChatOptions, type TextCodec } from './types.ts';

/** The repetitions of a unit, which are even. Few show exponential growth, many show cubic growth. */
const repetitionsOf = (unit: string): number[] => [30, Math.max(40, 2 * Math.floor(120 / unit.length))];
/** The most patterns of a tokenizer. */
const MOST_PATTERNS = 100;
/** The steps of one text at which the count ends, and those that are too few to be told from other growth. */
const MOST_STEPS = 2_000_000;
const FEW_STEPS = 50_000;
/** The most that the steps may grow for a text of twice the length. Squares make four of one, cubes eight. */
const MOST_GROWTH = 6;

/** The patterns that passed. */
const sound = new Set<string>();

/** @throws ModelFileError if the steps grow faster than the square of the length of some text. */
function tryPattern(label: string, source: string, pattern: Pattern): void {
  for (const unit of pumpedUnits(source))
    for (const count of repetitionsOf(unit)) {
      const steps = stepsOf(pattern, `${unit.repeat(count)}!`, MOST_STEPS);
      if (steps <= FEW_STEPS) continue;
      const before = stepsOf(pattern, `${unit.repeat(count / 2)}!`, MOST_STEPS);
      if (steps > MOST_GROWTH * before || before === MOST_STEPS)
        throw new ModelFileError(
          `${label}: tokenizer.json has the pattern ${JSON.stringify(source.slice(0, 80))}, which tries every way to match a text: ${count} times ${JSON.stringify(unit)} take ${steps === MOST_STEPS ? 'more than ' : ''}${grouped(steps)} steps, and half as many ${grouped(before)}. Use the tokenizer of the original model.`,
        );
    }
}

/**
 * Tries the patterns of a parsed `tokenizer.json`. Those that can't be read are passed over, because they are refused when they are used.
 *
 * @throws ModelFileError that names a pattern that tries every way to match a text.
 */
export function tryPatterns(label: string, tokenizerJson: object): void {
  const sources = patternsIn(tokenizerJson);
  if (sources.size > MOST_PATTERNS)
    throw new ModelFileError(
      `${label}: tokenizer.json has ${grouped(sources.size)} patterns, and at most ${MOST_PATTERNS} are tried. Use the tokenizer of the original model.`,
    );
  for (const source of sources) {
    if (sound.has(source)) continue;
    let pattern: Pattern;
    try {
      pattern = new PatternReader(source).read();
    } catch {
      continue;
    }
    tryPattern(label, source, pattern);
    sound.add(source);
  }
}

const ASKED = { role: 'user', content: 'What is 2 + 3? Write [ANSWER] and the number.\n' };
const ANSWERED = { role: 'assistant', content: '<think>\n2 + 3 = 5\n</think>\n\n[ANSWER] 5' };
const CONVERSATIONS: readonly (readonly [readonly object[], Omit<ChatOptions, 'moment'>])[] = [
  [[ASKED], { addGenerationPrompt: true, enableThinking: false }],
  [
    [{ role: 'system', content: 'You calculate.' }, ASKED],
    { addGenerationPrompt: true, enableThinking: true },
  ],
  [[ASKED, ANSWERED], { addGenerationPrompt: false, enableThinking: false }],
  [[ASKED, ANSWERED, ASKED], { addGenerationPrompt: true }],
  [
    [{ ...ASKED, content: 'Which of these words is the longest? '.repeat(500) }],
    { addGenerationPrompt: true },
  ],
];

/**
 * Renders the conversations of tasks in all their forms. A template may refuse some of them.
 *
 * @throws ModelFileError if the template does more than any conversation needs.
 */
export function tryTemplate(label: string, codec: TextCodec): void {
  if (!codec.hasChatTemplate) return;
  for (const [messages, options] of CONVERSATIONS)
    try {
      codec.renderChat(messages, { ...options, moment: 0 });
    } catch (error) {
      if (!(error instanceof ModelFileError)) throw error;
      if (error.name !== 'ModelFileError') throw new ModelFileError(`${label}: ${error.message}`);
    }
}
