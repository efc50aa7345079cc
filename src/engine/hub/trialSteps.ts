/**
 * What a tokenizer and a chat template are tried with before a page runs them: the conversations of tasks in all their forms, and texts
 * that patterns backtrack over. Runs where it can be ended (`trial.ts`).
 */
import { grouped } from '@rl-playground/base/text';
import { createTokenizer } from './tokenizer.ts';
import { ModelFileError, type ChatOptions, type Tokenizer } from './types.ts';
import { parseJsonObject } from './openFolder.ts';
import { pumpedUnits } from './pumpedUnits.ts';

/** The files of a tokenizer, as they are. */
export interface TriedFiles {
  readonly tokenizerJson: Uint8Array;
  readonly tokenizerConfig: Uint8Array;
  readonly chatTemplate: Uint8Array | null;
}

export interface TrialStep {
  /** What it does, for the message of one that is ended. */
  readonly what: string;
  /** After which it is ended. */
  readonly milliseconds: number;
  /** @throws ModelFileError where it took too long or made too much by itself. */
  readonly run: () => void;
}

/** Milliseconds of the steps. A sound tokenizer takes some hundredths of them. */
export interface TrialLimits {
  /** To read the files: `reading`, and `perMegabyte` of them. */
  readonly reading: number;
  readonly perMegabyte: number;
  /** Of each conversation. */
  readonly rendering: number;
  /** Of all texts. */
  readonly cutting: number;
  /** Of a text of few characters, at the best of several tries. */
  readonly short: number;
  /** How many times as long each try may take: what the machine was too busy for, or slept over, is tried again before it is refused. */
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

/** What was said, in the characters of many writings. */
const SAMPLE =
  "It's 12:30 — don't panic! x² + 3.14e-5 = 1,234,567; don’t (ever) [stop] {here}…\r\n\n\t  Über straße, żółć, Ελλάδα, Привет, שלום, مرحبا, नमस्ते, 漢字かな交じり文, 한국어 👍🏽 👨‍👩‍👧 \u0000\u200b\ufeff";

/** How often a unit is repeated: what takes exponential time is seen early, cubic time late. */
const REPETITIONS = [4, 8, 12, 16, 18, 20, 22, 24, 26, 28, 30, 100, 1000];
/** So few characters must not take long. */
const SHORT = 100;
/** A busy machine is slow once, and not so often in a row. */
const TRIES = 3;
/** Of the time, where a text is twice as long: what goes over all ways to cut a text is far above, and on a slow machine nothing else is. */
const MOST_GROWTH = 8;

/** Milliseconds of the quickest of several tries, of which one within `enough` does. */
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

/** The steps one after the other; each may count on those before it. */
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
        // What can't be used at all is said where it is used.
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
