/** Brings in the code of one participant, and nothing of the others. */
import type { Participant, PageParticipantName, Environment, OpenFiles } from '../types.ts';

export async function createParticipant(
  name: PageParticipantName,
  environment: Environment,
  openFiles: OpenFiles,
): Promise<Participant> {
  switch (name) {
    case 'ours':
      return (await import('../ours/participant.ts')).createOurs(environment, openFiles);
    case 'wasm':
      return (await import('../ours/participant.ts')).createOurs(
        { ...environment, backend: 'wasm' },
        openFiles,
      );
    case 'tfjs':
      return (await import('../peers/tfjs/participant.ts')).createTfjs(environment, openFiles);
    case 'jax-js':
      return (await import('../peers/jax/participant.ts')).createJax(environment, openFiles);
    case 'transformers.js':
      return (await import('../peers/transformers/participant.ts')).createTransformers(
        environment,
        openFiles,
      );
  }
}
