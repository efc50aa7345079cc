/** Finds the token at which two answers of a step part, and how likely the model finds either before and after its update. */
import type { Rollout } from '@rl-playground/run/loop';
import type { Fork } from './content/lesson.ts';

type Answer = Pick<Rollout, 'group' | 'advantage' | 'tokens' | 'logprobs' | 'promptIds'>;

interface Parting {
  readonly better: Answer;
  readonly worse: Answer;
  /** The number of tokens that both begin with. */
  readonly at: number;
}

const probability = ({ logprobs }: Answer, at: number): number => Math.exp(logprobs[at] ?? -Infinity);

/** Finds the place where a better and a worse answer part: of all such places the one at which the less likely of the two tokens was likeliest. */
export function partingOf(answers: readonly Answer[]): Parting | null {
  const evenness = ({ better, worse, at }: Parting): number =>
    Math.min(probability(better, at), probability(worse, at));
  let best: Parting | null = null;
  for (const better of answers.filter(({ advantage }) => advantage > 0))
    for (const worse of answers) {
      if (worse.group !== better.group || worse.advantage >= 0) continue;
      const at = better.tokens.findIndex((token, i) => token !== worse.tokens[i]);
      if (at < 0 || at >= worse.tokens.length) continue;
      const parting = { better, worse, at };
      if (best === null || evenness(parting) > evenness(best)) best = parting;
    }
  return best;
}

/** The text of a token, with a name for what nobody sees. */
const shown = (text: string): string => text.trim() || (text.includes('\n') ? 'new line' : 'space');

interface Model {
  readonly textOf: (tokens: readonly number[]) => string;
  /** The log probability that the model of now gives a token behind others; null where it can't be asked. */
  readonly logprob: (before: readonly number[], token: number) => Promise<number | null>;
}

/** Resolves to null if no two answers part, or the model can't be asked. */
export async function forkOf(answers: readonly Answer[], { textOf, logprob }: Model): Promise<Fork | null> {
  const parting = partingOf(answers);
  if (parting === null) return null;
  const { at } = parting;
  const shared = parting.better.tokens.slice(0, at);
  const read = async (answer: Answer) => {
    const token = answer.tokens[at] ?? -1;
    const after = await logprob([...answer.promptIds, ...shared], token);
    return after === null
      ? null
      : { text: shown(textOf([token])), before: probability(answer, at), after: Math.exp(after) };
  };
  const [better, worse] = [await read(parting.better), await read(parting.worse)];
  return better && worse && { beginning: textOf(shared).trim(), better, worse };
}
