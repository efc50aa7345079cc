/** The worker that an interpreter lives in, so that it can be killed. */
import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url';
import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { messageOf } from '@rl-playground/base/errors';
import { loadQuickJs, scoreWith, stripTypes } from './interpreter.ts';
import type { ScoreAnswer, ScoreRequest } from './sandbox.ts';

let quickJs: QuickJSWASMModule | null = null;

function answer(message: ScoreAnswer): void {
  self.postMessage(message);
}

async function score({ id, source, items, limits }: ScoreRequest): Promise<void> {
  const program = await stripTypes(source);
  quickJs ??= await loadQuickJs(wasmUrl);
  answer({ id, kind: 'ready' });
  for (const item of items) {
    const { outcome, sound } = scoreWith(quickJs, program, item, limits);
    if (!sound) quickJs = await loadQuickJs(wasmUrl);
    answer({ id, kind: 'outcome', outcome });
  }
}

self.addEventListener('message', (event: MessageEvent<ScoreRequest>) => {
  const { id } = event.data;
  score(event.data).catch((error: unknown) => {
    answer({ id, kind: 'failed', error: messageOf(error) });
  });
});
