/** The files of a checkpoint beside its model: the user's own tasks, and the state of the run. */
import { filesInMemory } from '@rl-playground/engine/parts';
import { pick } from '@rl-playground/base/random';
import { checkpointFiles, readCheckpoint } from '@rl-playground/run/checkpoint';
import { customTaskErrors } from '@rl-playground/tasks/parts';
import { tinyCheckpointParts } from '@rl-playground/run/testing/tinyCheckpoint';
import { contents } from '@rl-playground/engine/testing/zips';
import type { ParserTarget } from './harness.ts';
import { refusable } from './modelTargets.ts';
import { mutatedBytes, mutatedJson, mutatedText, type Draw } from './mutate.ts';

const utf8 = new TextEncoder();

export async function runTargets(): Promise<readonly ParserTarget[]> {
  const files = await contents(await checkpointFiles(await tinyCheckpointParts()));
  const textOf = (name: string): string => new TextDecoder().decode(files.get(name));
  const jsonOf = (name: string): object => JSON.parse(textOf(name)) as object;

  /** The checkpoint with one of these files changed. */
  const changed = (names: readonly string[]) => {
    const originals = new Map(
      names.filter((name) => name.endsWith('.json')).map((name) => [name, jsonOf(name)]),
    );
    return (draw: Draw): Map<string, Uint8Array> => {
      const name = pick(draw, names);
      const original = originals.get(name);
      const own = files.get(name) ?? new Uint8Array();
      const bytes = name.endsWith('.safetensors')
        ? mutatedBytes(draw, own)
        : utf8.encode(original === undefined ? mutatedText(draw, textOf(name)) : mutatedJson(draw, original));
      return new Map(files).set(name, bytes);
    };
  };
  const read = (all: Map<string, Uint8Array>): Promise<boolean> =>
    refusable(async () => {
      const { customTasks } = await readCheckpoint(filesInMemory('checkpoint', all));
      // A page asks this before it loads them.
      for (const task of customTasks) customTaskErrors(task);
    });
  return [
    { name: 'own tasks', share: 15, make: changed(['own_tasks.json', 'dataset_rows.json']), read },
    {
      name: 'trainer state',
      share: 15,
      make: changed([
        'trainer_state.json',
        'trainer_state.json',
        'optimizer.safetensors',
        'config.json',
        'metrics.jsonl',
        'eval_results/eval_step_12.json',
      ]),
      read,
    },
  ];
}
