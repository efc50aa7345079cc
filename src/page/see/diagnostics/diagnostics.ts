/** The text of a report of a fault: versions, adapter, limits, settings, last events. It contains no prompts and no answers. */
import { dependencies, version } from '../../../../package.json';
import { adapterFacts } from '@rl-playground/engine/parts';
import { storageNow } from '@rl-playground/base/privateFiles';
import { configToQuery } from '@rl-playground/run/settings';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { lastEvents } from './events.ts';

/** The libraries that compute. */
const LIBRARIES = [
  '@tensorflow/tfjs-core',
  '@tensorflow/tfjs-backend-wasm',
  '@tensorflow/tfjs-backend-webgpu',
  'react',
];

async function adapterLines(): Promise<string[]> {
  const gpu: GPU | undefined = navigator.gpu;
  const adapter = await gpu?.requestAdapter().catch(() => null);
  if (!adapter) return ['none'];
  const { vendor, architecture, device, description } = adapterFacts(adapter.info);
  const limits: string[] = [];
  for (const name in adapter.limits) limits.push(`${name} ${Reflect.get(adapter.limits, name)}`);
  return [
    [vendor, architecture, device, description].filter((part) => part !== '').join(' '),
    `features: ${[...adapter.features].sort().join(', ')}`,
    `limits: ${limits.sort().join(', ')}`,
  ];
}

const section = (title: string, lines: readonly string[]): string => `## ${title}\n${lines.join('\n')}\n`;

const named = (found: Readonly<Record<string, string>>, names: readonly string[]): string[] =>
  names.flatMap((name) => (found[name] === undefined ? [] : [`${name} ${found[name]}`]));

/** The report in Markdown. */
export async function diagnosticsText(): Promise<string> {
  const { snapshot } = useRun.getState();
  const { form } = useForm.getState();
  const { phase, step, totalSteps, backend, modelName, parameterCount, modelIsOurs, config } = snapshot;
  const storage = await storageNow();
  const settings = (of: typeof form): string => configToQuery(of) || 'the defaults';
  return [
    section('RL Playground', [
      `version ${version}`,
      ...named(dependencies, LIBRARIES),
      `at ${new Date().toISOString()}`,
    ]),
    section('Browser', [
      navigator.userAgent,
      `${navigator.hardwareConcurrency} threads, cross-origin isolated: ${window.crossOriginIsolated}`,
      `storage: ${storage?.used ?? '?'} of ${storage?.quota ?? '?'} bytes`,
    ]),
    section('Adapter', await adapterLines()),
    section('Run', [
      `computes on: ${backend === null ? 'nothing yet' : `${backend.backend}, ${backend.line}`}`,
      // A model of one's own has a name of one's own.
      `model: ${modelIsOurs ? (modelName ?? 'none') : 'of the user'}, ${parameterCount ?? 0} parameters`,
      `phase: ${phase} at step ${step} of ${totalSteps}`,
      `settings of the run: ${config === null ? 'none has begun' : settings(config)}`,
      `settings on the page: ${settings(form)}`,
    ]),
    section(
      'Last events',
      lastEvents().map(({ at, text }) => `${(at / 1000).toFixed(1)} s  ${text}`),
    ),
  ].join('\n');
}
