import { startBackend } from '@rl-playground/engine/parts/tensors';
import { casesOf, everyCase, failOnDeviceProblems, modelsOf } from '@rl-playground/engine/testing/gpu';
import { describeReferenceModels } from '@rl-playground/engine/testing/sharedInBrowser';
import { conformanceSuite } from './conformance.suite.ts';
import { REFERENCE_LOSSES } from './lossConformance.suite.ts';

const { line } = await startBackend('webgpu');
failOnDeviceProblems();

/** One clipped by the token, one by the sequence, one with a KL; lossGradients.gpu.test.ts has each formula on the GPU. */
const losses = casesOf(REFERENCE_LOSSES, ['cispo', 'gspo_grpo', 'grpo_beta_0.1']);

// On a software adapter `rollout/gpu/decoder.gpu.test.ts` decodes these models' answers.
describeReferenceModels(`reference models on ${line}`, (models) =>
  conformanceSuite(modelsOf(models), losses, everyCase),
);
