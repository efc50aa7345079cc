import { startBackend } from '../backend/start.ts';
import { failOnDeviceProblems } from '../testing/gpu.ts';
import { describeReferenceModels } from '../testing/sharedInBrowser.ts';
import { adaptedModelSuite, adaptedReferenceSuite } from './adaptedModel.suite.ts';
import { mergeAdapterSuite } from './mergeAdapter.suite.ts';
import { rowSelectionSuite } from './rowSelection.suite.ts';

const { line } = await startBackend('webgpu');
failOnDeviceProblems();

adaptedModelSuite();
mergeAdapterSuite();
rowSelectionSuite();
describeReferenceModels(`adapted reference models on ${line}`, adaptedReferenceSuite);
