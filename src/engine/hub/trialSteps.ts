/**
 * The trial of a tokenizer and a chat template before a page runs them: the conversations of tasks in all their forms, and texts that
 * patterns backtrack over. It runs where it can be ended (`trial.ts`).
 */
import { grouped } from '@rl-playground/base/text';
import { createTokenizer } from './tokenizer.ts';
import { ModelFileError, type ChatOptions, type Tokenizer } from './types.ts';
import { parseJsonObject } from './openFolder.ts';
import { pumpedUnits } from './pumpedUnits.ts';

/** The files of a tokenizer, unparsed. */
export interface TriedFiles {
  readonly tokenizerJson: Uint8Array;
  readonly tokenizerConfig: Uint8Array;
  readonly chatTemplate: Uint8Array | null;
}

export interface TrialStep {
  /** The name of the step, for the message if it is ended. */
  readonly what: string;
  /** The milliseconds after which the step is ended. */
  readonly milliseconds: number;
  /** @throws ModelFileError if it notices itself that it took too long or made too much. */
  readonly run: () => void;
}

/** The limits of the steps in milliseconds. A sound tokenizer takes some hundredths of them. */
export interface TrialLimits {
  /** The limit for reading the files: `reading`, plus `perMegabyte` for each megabyte of them. */
  readonly reading: number;
  readonly perMegabyte: number;
  /** The limit for each conversation. */
  readonly rendering: number;
  /** The limit for all texts together. */
  readonly cutting: number;
  /** The limit for a text of few characters, by the fastest of several tries. */
  readonly short: number;
  /**
   * The factors on the limits of each try. A failed try may be due to a machine that was busy or asleep, so it is repeated before the
   * model is refused.
   */
  readonly tries: readonly number[];
}

export const TRIAL_LIMITS: TrialLimits = {
  reading: 2000,
  perMegabyte: 2000,
  rendering: 2000,
  cutting: 2200,
  short: 50,
  tries: [1, 4],
};

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

/** A text in the characters of many writings. */
const SAMPLE =
  "It's 12:30 — don't panic! x² + 3.14e-5 = 1,234,567; don’t (ever) [stop] {here}…\r\n\n\t  Über straße, żółć, Ελλάδα, Привет, שלום, مرحبا, नमस्ते, 漢字かな交じり文, 한국어 👍🏽 👨‍👩‍👧 \u0000\u200b\ufeff";

/** The numbers of repetitions of a unit: few show exponential time, many show cubic time. */
const REPETITIONS = [4, 8, 12, 16, 18, 20, 22, 24, 26, 28, 30, 100, 1000];
/** The most characters of a short text, which must not take long. */
const SHORT = 100;
/** The tries of one text: a busy machine is slow once, and not so often in a row. */
const TRIES = 3;
/**
 * The most that the time may grow for a text of twice the length. Trying all ways to split a text is far above, and nothing else is, even
 * on a slow machine.
 */
const MOST_GROWTH = 8;

/** The milliseconds of the fastest of several tries. One within `enough` is sufficient. */
function quickest(tokenizer: Tokenizer, text: string, enough = 0): number {
  let best = Infinity;
  for (let i = 0; i < TRIES && best > enough; i++) {
    const start = performance.now();
    tokenizer.encode(text);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function encodeAll(tokenizer: Tokenizer, units: readonly string[], most: number): void {
  for (const unit of units)
    for (const count of REPETITIONS) {
      const text = `${unit.repeat(count)}!`;
      const milliseconds = text.length > SHORT ? 0 : quickest(tokenizer, text, most);
      if (text.length > SHORT) tokenizer.encode(text);
      if (milliseconds <= most) continue;
      const half = `${unit.repeat(count / 2)}!`;
      const before = quickest(tokenizer, half);
      if (milliseconds > MOST_GROWTH * before)
        throw new ModelFileError(
          `tokenizer.json: ${grouped(text.length)} characters (${JSON.stringify(text.slice(0, 40))}) took ${grouped(milliseconds)} ms to be cut into tokens, and ${grouped(half.length)} of them ${grouped(before)} ms. One of its patterns tries every way to cut them; use the tokenizer of the original model.`,
        );
    }
}

/** The steps in order; each may rely on those before it. */
export function trialSteps(files: TriedFiles, limits: TrialLimits): readonly TrialStep[] {
  let tokenizer: Tokenizer | null = null;
  const bytes = files.tokenizerJson.byteLength + files.tokenizerConfig.byteLength;
  const texts = [SAMPLE];
  const json = (name: string, content: Uint8Array): object => parseJsonObject(content, name, 'The model');
  let units: readonly string[] = [];
  const build: TrialStep = {
    what: `reading the tokenizer, of ${grouped(bytes)} bytes`,
    milliseconds: Math.ceil(limits.reading + (limits.perMegabyte * bytes) / 1e6),
    run: () => {
      const tokenizerJson = json('tokenizer.json', files.tokenizerJson);
      units = pumpedUnits(tokenizerJson);
      try {
        tokenizer = createTokenizer({
          tokenizerJson,
          tokenizerConfig: json('tokenizer_config.json', files.tokenizerConfig),
          chatTemplate: files.chatTemplate && new TextDecoder().decode(files.chatTemplate),
          eosTokenId: 0,
        });
        tokenizer.tokenBytes();
      } catch (error) {
        // Files that can't be used at all are reported when they are used.
        if (!(error instanceof ModelFileError)) throw error;
      }
    },
  };
  const render = CONVERSATIONS.map(([messages, options]): TrialStep => ({
    what: 'rendering a conversation with its chat template',
    milliseconds: limits.rendering,
    run: () => {
      if (tokenizer?.hasChatTemplate !== true) return;
      try {
        texts.push(tokenizer.renderChat(messages, { ...options, moment: 0 }));
      } catch (error) {
        if (error instanceof ModelFileError && error.name === 'ModelFileError') return;
        throw error;
      }
    },
  }));
  const encode: TrialStep = {
    what: 'cutting texts into tokens',
    milliseconds: limits.cutting,
    run: () => {
      if (tokenizer === null) return;
      encodeAll(tokenizer, units, limits.short);
      for (const text of texts) tokenizer.decode(tokenizer.encode(text));
    },
  };
  return [build, ...render, encode];
}
