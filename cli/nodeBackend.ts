/** tfjs' wasm backend under Node, with our kernels: for pretraining and experiments. */
import { startBackendInNode } from '../src/backend/startInNode.ts';
import '../src/kernels/index.ts';

export async function startNodeBackend(): Promise<void> {
  await startBackendInNode();
}
