/** Steps of decoding as tensor ops of the running backend. A prompt's place is a slot behind those of the rows. */
import * as tf from '../backend/tf.ts';
import { forkCache, type LayerCache } from '../kernels/index.ts';
import { advance, createCaches, disposeCaches, prefill } from '../model/incremental.ts';
import { LanguageModel } from '../model/languageModel.ts';
import { mergeIntoWeights } from '../model/mergeAdapter.ts';
import { ModelWeights } from '../model/weights.ts';
import { decodedConfig, type GeneratorModel } from './decoder.ts';
import type { CacheRoom, StepExecutor } from './stepExecutor.ts';

interface OpenCaches {
  readonly room: CacheRoom;
  readonly layers: readonly LayerCache[];
}

export function tfjsExecutor(generator: GeneratorModel): StepExecutor {
  const config = decodedConfig(generator);
  let model: LanguageModel | null = null;
  let open: OpenCaches | null = null;

  function ready(): { model: LanguageModel; caches: OpenCaches } {
    if (!model || !open) throw new Error('A step of decoding needs weights and room.');
    return { model, caches: open };
  }

  async function values(logits: tf.Tensor): Promise<Float32Array> {
    try {
      return await logits.data<'float32'>();
    } finally {
      logits.dispose();
    }
  }

  return {
    setWeights(pool) {
      model?.dispose();
      model = new LanguageModel(ModelWeights.fromPacked(config, pool), generator.positions);
    },
    merge(plan, base, factors, rounded) {
      if (!model) throw new Error('The generator has no weights yet.');
      mergeIntoWeights(model.weights, plan, base, factors, rounded);
    },
    open(room) {
      if (!model) throw new Error('The generator has no weights yet.');
      open = { room, layers: createCaches(model, room.slots + room.places, room.capacity) };
    },
    prefill(prompts) {
      const { model: policy, caches } = ready();
      const { slots, promptLength } = caches.room;
      const copies = {
        sources: prompts.map((_, i) => i),
        slots: prompts.map(({ place }) => slots + place),
      };
      const ids = prompts.map((prompt) => prompt.ids);
      return values(tf.tidy(() => prefill(policy, ids, promptLength, caches.layers, copies)));
    },
    fork(copies) {
      if (copies.length === 0) return;
      const { room, layers } = ready().caches;
      tf.tidy(() => {
        const from = tf.tensor1d(
          copies.map(({ place }) => room.slots + place),
          'int32',
        );
        const to = tf.tensor1d(
          copies.map(({ slot }) => slot),
          'int32',
        );
        // What is copied beyond a prompt's own length is overwritten before it is read.
        for (const layer of layers) forkCache(layer, { from, to }, { length: room.promptLength });
      });
    },
    advance({ ids, positions: at, slots }) {
      const { model: policy, caches } = ready();
      const rows = { ids: [...ids], positions: [...at], slots: [...slots] };
      return values(tf.tidy(() => advance(policy, rows, caches.layers)));
    },
    close() {
      if (open) disposeCaches(open.layers);
      open = null;
    },
    dispose() {
      if (open) disposeCaches(open.layers);
      model?.dispose();
      open = null;
      model = null;
    },
  };
}
