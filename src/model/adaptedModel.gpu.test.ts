import { LORA_TARGETS } from '../base/loraTargets.ts';
import { startBackend } from '../backend/start.ts';
import { casesOf, failOnDeviceProblems } from '../testing/gpu.ts';
import { describeReferenceModels } from '../testing/sharedInBrowser.ts';
import { adaptedModelSuite, adaptedReferenceSuite } from './adaptedModel.suite.ts';
import { mergeAdapterSuite } from './mergeAdapter.suite.ts';
import { rowSelectionSuite } from './rowSelection.suite.ts';

const { line } = await startBackend('webgpu');
failOnDeviceProblems();

// All are held against the merged matrices' gradients, here and in Node, and there against differences too.
adaptedModelSuite(casesOf(LORA_TARGETS, ['v_proj', 'up_proj']));
mergeAdapterSuite();
rowSelectionSuite();
describeReferenceModels(`adapted reference models on ${line}`, adaptedReferenceSuite);
