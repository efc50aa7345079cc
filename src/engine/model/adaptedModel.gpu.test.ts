import { LORA_TARGETS } from './loraTargets.ts';
import { startBackend } from '../backend/start.ts';
import { ARCHITECTURES } from '../testing/adaptedModels.ts';
import { casesOf, failOnDeviceProblems, modelsOf } from '../testing/gpu.ts';
import { describeReferenceModels } from '../testing/sharedInBrowser.ts';
import { adaptedModelSuite, adaptedReferenceSuite } from './adaptedModel.suite.ts';
import { mergeAdapterSuite } from './mergeAdapter.suite.ts';
import { rowSelectionSuite } from './rowSelection.suite.ts';
import { sharedPromptsSuite } from './sharedPrompts.suite.ts';

const { line } = await startBackend('webgpu');
failOnDeviceProblems();

// All are held against the merged matrices' gradients, here and in Node, and there against differences too.
// Biases, which no adapter touches, are in a reference model's forward pass.
const architectures = Object.keys(ARCHITECTURES);
adaptedModelSuite(
  casesOf(LORA_TARGETS, ['v_proj', 'up_proj']),
  casesOf(
    architectures,
    architectures.filter((name) => name !== 'qwen2'),
  ),
);
mergeAdapterSuite();
rowSelectionSuite();
sharedPromptsSuite();
describeReferenceModels(`adapted reference models on ${line}`, (models) =>
  adaptedReferenceSuite(modelsOf(models)),
);
