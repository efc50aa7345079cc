import { startBackend } from '../backend/start.ts';
import { everyCase, failOnDeviceProblems } from '../testing/gpu.ts';
import { describeHuggingFaceModels } from '../testing/sharedInBrowser.ts';
import { frozenBaseSuite } from './frozenBase.suite.ts';

const { line } = await startBackend('webgpu');
failOnDeviceProblems();

/** A software adapter runs one model of each kind: biases, norms of queries and keys, tied and untied heads, bf16 and f16, windows. */
const WANTED = everyCase
  ? /^(llama3|smollm2|qwen2|qwen3|qwen2-window|gemma3)(-v4)?$/
  : /^(llama3-v4|qwen2|qwen3|gemma3)$/;

describeHuggingFaceModels(`frozen bases on ${line}`, WANTED, (folders) =>
  frozenBaseSuite(folders, everyCase),
);
