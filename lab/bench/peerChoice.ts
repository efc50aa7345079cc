/** The peers that are measured, and the device of those in Python. */
import { isPythonPeer, PEER_NAMES, type Environment, type PeerName } from './types.ts';

export type PythonDevice = 'cuda' | 'cpu';

/** CUDA where ours computes on a hardware GPU, because cores beside a GPU would compare machines; torch says whether it has it. */
export const pythonDevice = ({
  backend,
  hardware,
}: Pick<Environment, 'backend' | 'hardware'>): PythonDevice =>
  backend === 'webgpu' && hardware ? 'cuda' : 'cpu';

/** The peers that can be started, in the order of the list: TF32 is of CUDA alone. */
export function chosenPeers(
  { without, python }: { readonly without: readonly PeerName[]; readonly python: boolean },
  environment: Pick<Environment, 'backend' | 'hardware'>,
): PeerName[] {
  return PEER_NAMES.filter((name) => {
    if (without.includes(name) || (isPythonPeer(name) && !python)) return false;
    return name !== 'torch tf32' || pythonDevice(environment) === 'cuda';
  });
}
