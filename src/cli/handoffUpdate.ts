/** Compares the first update of a run that was handed over to TRL with the one that this program makes, from the same weights and answers. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSafetensors, widened, type WeightArrays } from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT } from '@rl-playground/engine/parts/tensors';
import { type Rollout, taskMix } from '@rl-playground/run/loop';
import type { CheckpointParts } from '@rl-playground/run/checkpoint';
import { rowOf } from '@rl-playground/bridges/handoff';
import { Session } from '@rl-playground/run/session/onDevice';
import { updatesPerBatch, type RunConfig } from '@rl-playground/run/settings';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { BadInput } from '@rl-playground/base/errors';

/** The tolerance relative to the update's length. */
export const TOLERANCE = 1e-4;

export interface UpdateComparison {
  /** ‖theirs − ours‖ / ‖ours‖ over all trained weights. */
  readonly difference: number;
  readonly length: number;
  readonly answers: number;
  /** The output of the script. */
  readonly said: string;
}

/** The trained weights, by their names in our files. */
async function trained({ adapter, model }: CheckpointParts): Promise<WeightArrays> {
  return adapter?.arrays ?? widened(model.weights);
}

function difference(
  before: WeightArrays,
  ours: WeightArrays,
  theirs: WeightArrays,
): Pick<UpdateComparison, 'difference' | 'length'> {
  let [apart, length] = [0, 0];
  for (const [name, { data: start }] of before) {
    const [mine, other] = [ours.get(name)?.data, theirs.get(name)?.data];
    if (mine === undefined) throw new Error(`${name} is gone from our weights.`);
    if (other === undefined || other.length !== mine.length)
      throw new Error(`TRL’s weights have ${other?.length ?? 'no'} numbers of ${name}, ours ${mine.length}.`);
    for (let i = 0; i < start.length; i++) {
      const update = (mine[i] ?? 0) - (start[i] ?? 0);
      apart += ((other[i] ?? 0) - (mine[i] ?? 0)) ** 2;
      length += update ** 2;
    }
  }
  return { difference: Math.sqrt(apart / length), length: Math.sqrt(length) };
}

/** One line for each answer: its problem as a row of the data, and the tokens of both sides. */
function replayLines(config: RunConfig, parts: CheckpointParts, rollouts: readonly Rollout[]): string {
  const tasks = taskMix(config);
  return rollouts
    .map((rollout) => ({
      ...rowOf(tasks, rollout, parts.model.promptStyle),
      prompt_ids: rollout.promptIds,
      completion_ids: rollout.tokens,
      logprobs: rollout.logprobs,
    }))
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
}

/**
 * Makes the run's next step here and by the script in `folder`, which holds the hand-over of `parts`.
 *
 * @throws BadInput if a batch makes several updates, whose parts TRL shuffles; Error with Python's last words.
 */
export async function firstUpdate(
  folder: string,
  parts: CheckpointParts,
  config: RunConfig,
  python: string,
): Promise<UpdateComparison> {
  const updates = updatesPerBatch(config);
  if (updates > 1)
    throw new BadInput(
      `A batch of this run makes ${updates} updates, whose parts TRL shuffles in its own way, so that the first ones have other answers. Check a run with ppo_epochs, num_substeps of 1 and no mini-batches.`,
    );
  await startBackendInNode();
  const before = await trained(parts);
  const session = await Session.open(config, parts, LOCAL_ENVIRONMENT);
  const rollouts = await session.trainStep({});
  const ours = await trained(await session.parts());
  session.dispose();
  const replay = join(folder, 'replay.jsonl');
  const weights = join(folder, 'first_update.safetensors');
  writeFileSync(replay, replayLines(config, parts, rollouts));
  try {
    const { status, stdout, stderr, error } = spawnSync(
      python,
      [join(folder, 'train.py'), '--replay', replay, '--save-weights', weights],
      {
        encoding: 'utf8',
        env: {
          ...process.env,
          HF_HUB_OFFLINE: '1',
          PYTHONDONTWRITEBYTECODE: '1',
          TRL_EXPERIMENTAL_SILENCE: '1',
        },
        maxBuffer: 2 ** 26,
      },
    );
    if (error) throw new Error(`${python} did not start: ${error.message}`);
    if (status !== 0)
      throw new Error(`${python} train.py ended with ${status}: ${stderr.trim().slice(-2000)}`);
    const theirs = parseSafetensors(new Uint8Array(readFileSync(weights)), weights).tensors;
    return {
      ...difference(before, ours, theirs),
      answers: rollouts.length,
      said: stdout.trim(),
    };
  } finally {
    rmSync(replay, { force: true });
    rmSync(weights, { force: true });
  }
}
