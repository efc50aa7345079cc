/**
 * The check of a hand-in's claims by the texts that it holds. Held-out problems, and what a text earns, are the same on every machine,
 * whatever it computes with: who changes an accuracy would have to write the answers for it.
 */
import { z } from 'zod';
import { breatheIfDue } from '@rl-playground/engine/parts';
import {
  evaluationMix,
  heldOutProblems,
  scoringOf,
  taskAt,
  type MixProblem,
  type MixTask,
} from '../loop/taskMix.ts';
import { scoreItems, type Problem } from '@rl-playground/tasks/parts';
import type { StopReason } from '@rl-playground/base/conversation';
import type { HandIn, HandInDifference } from './handIn.ts';

const shareSchema = z.object({ correct: z.boolean(), format: z.boolean() });
const claimSchema = z.object({
  step: z.number(),
  accuracy: z.number(),
  format: z.number(),
  greedy: z.object({ accuracy: z.number(), format: z.number() }).optional(),
  samples: z
    .array(
      shareSchema.extend({
        task: z.string(),
        answer: z.string(),
        text: z.string(),
        greedy: shareSchema.optional(),
      }),
    )
    .min(1),
});
type Claim = z.infer<typeof claimSchema>;

/** Ways in which an answer may have ended. The file does not say which, and some tasks ask for it. */
const ENDINGS: readonly StopReason[] = ['eos', 'stop', 'max_tokens'];
/** Tasks that score an answer by its tokens, which the file does not hold either. */
const SCORED_BY_TOKENS: ReadonlySet<string> = new Set(['rpn_arithmetic']);
const ROUNDING = 1e-9;

/** True if the text is as right or wrong as claimed, for some way in which it may have ended. */
async function mayBe(
  correct: boolean,
  text: string,
  problem: Problem,
  task: MixTask,
  handIn: HandIn,
): Promise<boolean> {
  const items = ENDINGS.map((stopReason) => ({ problem, completion: { text, tokens: [], stopReason } }));
  const rewards = await scoreItems(task.task, items, scoringOf(task, handIn.settings.scoring));
  return rewards.some((reward) => reward.correct === correct);
}

const word = (correct: boolean): string => (correct ? 'right' : 'wrong');

/** Checks the shares above the answers. Shares of the likeliest answers are of all problems, and a file may not hold one of each. */
function wrongShare(place: string, claim: Claim, problems: number): HandInDifference | null {
  const greedy = claim.samples.flatMap((sample) => sample.greedy ?? []);
  const shares = [
    ['accuracy', claim.accuracy, claim.samples.map(({ correct }) => correct)],
    ['format', claim.format, claim.samples.map(({ format }) => format)],
    ['greedy accuracy', claim.greedy?.accuracy, greedy.map(({ correct }) => correct)],
    ['greedy format', claim.greedy?.format, greedy.map(({ format }) => format)],
  ] as const;
  for (const [key, claimed, answers] of shares) {
    if (claimed === undefined || (key.startsWith('greedy') && answers.length !== problems)) continue;
    const found = answers.filter(Boolean).length / answers.length;
    if (!(Math.abs(claimed - found) <= ROUNDING))
      return { place, key, claimed: String(claimed), found: String(found) };
  }
  return null;
}

/**
 * The first claim that the file's own answers do not bear out; null where they bear out all. Answers of a custom task, and of tasks that are
 * scored by tokens, are not scored again; where some problems have no answer nobody knows which.
 */
export async function refutedByTexts(handIn: HandIn): Promise<HandInDifference | null> {
  const tasks = evaluationMix(handIn.settings);
  const { evalSamples } = handIn.settings;
  // The same of every evaluation.
  let problems: readonly MixProblem[] | null = null;
  for (const evaluation of handIn.evaluations) {
    const place = `The evaluation after step ${evaluation.step}`;
    const parsed = claimSchema.safeParse(evaluation);
    if (!parsed.success)
      return { place, key: 'samples', claimed: 'no answers that can be read', found: 'some' };
    const claim = parsed.data;
    problems ??= heldOutProblems(tasks, evalSamples);
    const share = wrongShare(place, claim, problems.length);
    if (share !== null) return share;
    if (claim.samples.length !== problems.length) continue;
    for (const [i, { problem, taskIndex }] of problems.entries()) {
      const sample = claim.samples[i];
      if (sample === undefined) break;
      const key = `answer ${i + 1}`;
      if (sample.task !== problem.task || sample.answer !== problem.answer)
        return { place, key: `problem ${i + 1}`, claimed: sample.answer, found: problem.answer };
      const task = taskAt(tasks, taskIndex);
      if (task.task.definition !== undefined || SCORED_BY_TOKENS.has(task.task.name)) continue;
      await breatheIfDue();
      if (!(await mayBe(sample.correct, sample.text, problem, task, handIn)))
        return { place, key, claimed: word(sample.correct), found: word(!sample.correct) };
    }
  }
  return null;
}
