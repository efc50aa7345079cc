/**
 * What a tokenizer and a chat template are tried with before a page runs them: the conversations of tasks in all their forms, and texts
 * that patterns backtrack over. Runs where it can be ended (`trial.ts`).
 */
import { grouped } from '../../base/text.ts';
import { TEMPLATE_MILLISECONDS } from '../templateInterpreter.ts';
import { createTokenizer } from '../tokenizer.ts';
import { ModelFileError, type ChatOptions, type Tokenizer } from '../types.ts';
import { parseJsonObject } from '../readFile.ts';
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

const BASE_MILLISECONDS = 2000;
const MILLISECONDS_PER_MEGABYTE = 2000;

/** For a tokenizer that reads so many bytes or characters. */
const allowed = (size: number): number =>
  Math.ceil(BASE_MILLISECONDS + (MILLISECONDS_PER_MEGABYTE * size) / 1e6);

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
/** Of these few characters nothing may take so long, three times in a row: a busy machine is slow once. */
const SHORT = 100;
const LONG_MILLISECONDS = 50;
const TRIES = 3;

function encodeAll(tokenizer: Tokenizer, units: readonly string[]): void {
  for (const unit of units)
    for (const count of REPETITIONS) {
      const text = `${unit.repeat(count)}!`;
      const fastest = (): number => {
        let best = Infinity;
        for (let i = 0; i < TRIES && best > LONG_MILLISECONDS; i++) {
          const start = performance.now();
          tokenizer.encode(text);
          best = Math.min(best, performance.now() - start);
        }
        return best;
      };
      const milliseconds = fastest();
      if (text.length <= SHORT && milliseconds > LONG_MILLISECONDS)
        throw new ModelFileError(
          `tokenizer.json: ${grouped(text.length)} characters (${JSON.stringify(text.slice(0, 40))}) took ${grouped(milliseconds)} ms to be cut into tokens, and ${LONG_MILLISECONDS} are allowed for so few. One of its patterns tries every way to cut them; use the tokenizer of the original model.`,
        );
    }
}

/** The steps one after the other; each may count on those before it. */
export function trialSteps(files: TriedFiles): readonly TrialStep[] {
  let tokenizer: Tokenizer | null = null;
  const bytes = files.tokenizerJson.byteLength + files.tokenizerConfig.byteLength;
  const texts = [SAMPLE];
  const json = (name: string, content: Uint8Array): object => parseJsonObject(content, name, 'The model');
  let units: readonly string[] = [];
  const build: TrialStep = {
    what: `reading the tokenizer, of ${grouped(bytes)} bytes`,
    milliseconds: allowed(bytes),
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
    milliseconds: TEMPLATE_MILLISECONDS,
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
    milliseconds: allowed(100_000),
    run: () => {
      if (tokenizer === null) return;
      encodeAll(tokenizer, units);
      for (const text of texts) tokenizer.decode(tokenizer.encode(text));
    },
  };
  return [build, ...render, encode];
}
