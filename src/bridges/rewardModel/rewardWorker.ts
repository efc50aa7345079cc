/** The worker that a reward model lives in, so that it can be killed and the page goes on meanwhile. */
import { messageOf } from '@rl-playground/base/errors';
import { openPipeline, outcomeOf, type OpenPipeline } from './pipelines.ts';
import type { RewardMessage, RewardRequest } from './protocol.ts';

// onnxruntime writes on the console what it throws, and the page says that in its place.
Reflect.set(console, 'error', () => undefined);

const send = (message: RewardMessage): void => self.postMessage(message);

let model: OpenPipeline | null = null;

async function answer(request: RewardRequest): Promise<void> {
  if (request.kind === 'open') {
    model = await openPipeline(request);
    send({ kind: 'ready', labels: model.labels });
  } else if (model !== null) {
    const { id, items, label } = request;
    send({ kind: 'scores', id, outcomes: (await model.scores(items, label)).map(outcomeOf) });
  }
}

self.addEventListener('message', ({ data }: MessageEvent<RewardRequest>) => {
  answer(data).catch((error: unknown) => send({ kind: 'failed', error: messageOf(error) }));
});
