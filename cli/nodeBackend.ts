/** What programs under Node compute with: tfjs' wasm backend with our kernels. */
import { startBackendInNode } from '../src/backend/startInNode.ts';
import '../src/kernels/index.ts';

export async function startNodeBackend(): Promise<void> {
  await startBackendInNode();
}
