import { expect, test } from 'vitest';
import { PythonPeers } from './pythonPeers.ts';

test('a Python that does not start, and one without the peer’s library, fail in words', async () => {
  const missing = new PythonPeers('/nowhere/python', null);
  await expect(missing.ask('torch', { kind: 'start' })).rejects.toThrow('/nowhere/python did not start');
  // Node takes the program for JavaScript and ends.
  const other = new PythonPeers(process.execPath, null);
  await expect(other.ask('trl', { kind: 'start' })).rejects.toThrow(/ended \(1\)/);
  other.dispose();
});
