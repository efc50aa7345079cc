import { expect, test } from 'vitest';
import type { ParticipantRequest } from './participants/asked.ts';
import { PythonPeers } from './pythonPeers.ts';

const START: ParticipantRequest = {
  kind: 'start',
  environment: { backend: 'wasm', hardware: false, wasmPath: '', onnxPath: '', threads: 1 },
};

test('a Python that does not start, and one without the peer’s library, fail in words', async () => {
  const missing = new PythonPeers('/nowhere/python', null);
  await expect(missing.ask('torch', START)).rejects.toThrow('/nowhere/python did not start');
  // Node takes the program for JavaScript and ends.
  const other = new PythonPeers(process.execPath, null);
  await expect(other.ask('trl', START)).rejects.toThrow(/ended \(1\)/);
  other.dispose();
});
