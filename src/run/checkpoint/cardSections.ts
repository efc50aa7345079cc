/** The sections of a model card about its run: where it began, what it trained on, how it evaluated, with which settings. */
import { wilson95 } from '@rl-playground/base/intervals';
import { grouped } from '@rl-playground/base/text';
import { textOfValue } from '../settings/describe.ts';
import { differingKeys } from '../settings/differences.ts';
import { snakeName } from '../settings/names.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import {
  type LoadedModel,
  adapterParameterCount,
  loraScale,
  type LoraSettings,
  type AdapterParts,
  addressOnHub,
} from '@rl-playground/engine/parts';
import { gainsOf, gainText, verdictText, type Gain } from '../diagnosis/alarms/gains.ts';
import { accuraciesOf, type Accuracy } from '../loop/accuracies.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import type { CheckpointParts } from './checkpointParts.ts';

/** The block of YAML that the Hub reads. `relation`: what the files are to the base. */
export function frontMatter(
  { origin }: Pick<LoadedModel, 'origin'>,
  library: 'transformers' | 'peft' | 'transformers.js' | 'gguf',
  relation: 'finetune' | 'adapter',
): string {
  const onHub = origin ? addressOnHub(origin) : null;
  const base = onHub === null ? [] : [`base_model: ${onHub.repo}`, `base_model_relation: ${relation}`];
  const lines = [
    `library_name: ${library}`,
    'pipeline_tag: text-generation',
    ...base,
    'tags:',
    '  - reinforcement-learning',
  ];
  return ['---', ...lines, '---', ''].join('\n');
}

/** The model that a run began from, with its commit. */
export function baseText({ name, origin }: Pick<LoadedModel, 'name' | 'origin'>): string {
  if (!origin) return name;
  const commit = origin.commit === null ? '' : ` at commit ${origin.commit}`;
  return `${origin.name}${commit}${origin.hubUrl === null ? '' : ` of ${origin.hubUrl}`}`;
}

/** Rank, α, targets and the number of scalars of an adapter. */
export function adapterText({ config }: Pick<LoadedModel, 'config'>, settings: LoraSettings): string {
  const { rank, alpha, targets } = settings;
  return `a LoRA adapter of ${grouped(adapterParameterCount(config, settings))} parameters on ${targets.join(', ')}: rank ${rank}, α ${alpha}, scaled by
${Number(loraScale(settings).toPrecision(4))}`;
}

/** The note on how PEFT's merge changes a base that this checkpoint only names. */
export function tiedHeadNote({ config }: LoadedModel, { settings, base }: AdapterParts): string {
  if (base !== null || !config.tiedHead || !settings.targets.includes('lm_head')) return '';
  return `
The base's head is its embedding, and \`merge_and_unload\` would change that, too, which was not trained. Use the adapter unmerged, or
give the base a head of its own first (\`tie_word_embeddings\` false and a copy of the embedding as \`lm_head.weight\`).
`;
}

/** Task, steps and seed, behind a comma each. */
export function runText({
  runConfig,
  trainerState,
}: Pick<CheckpointParts, 'runConfig' | 'trainerState'>): string {
  const task = runConfig === null ? '' : `, on the task ${runConfig.task}`;
  return trainerState === null ? task : `${task}, ${trainerState.step} steps, seed ${trainerState.seed}`;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

function withInterval({ share, interval }: Accuracy): string {
  return interval
    ? `${percent(share)} (${percent(interval.low)} to ${percent(interval.high)})`
    : percent(share);
}

/** A line for each accuracy, from before the run to its end; it is left out if one of the two is not known. */
function beforeAndAfter(evaluations: readonly EvalResult[]): string {
  const before = evaluations.find(({ step }) => step === 0);
  const after = evaluations.at(-1);
  if (!before || !after || after.step <= 0) return '';
  const [then, now, gains] = [accuraciesOf(before), accuraciesOf(after), gainsOf(before, after)];
  const row = (name: string, first: Accuracy | null, last: Accuracy | null, gain: Gain | null): string[] =>
    first && last && gain
      ? [`| ${name} | ${withInterval(first)} | ${withInterval(last)} | ${gainText(gain)} |`]
      : [];
  const verdict = verdictText(gains);
  const lines = [
    `| accuracy | before | after ${after.step} steps | added |`,
    '|---|---|---|---|',
    ...row(`sampled, temperature ${then.sampled?.temperature}`, then.sampled, now.sampled, gains.sampled),
    ...row('greedy', then.greedy, now.greedy, gains.greedy),
    ...row(`pass@${gains.passAtK?.k}`, then.passAtK, now.passAtK, gains.passAtK),
    ...(verdict === null ? [] : ['', verdict]),
  ];
  return `${lines.join('\n')}\n\n`;
}

const HEADS = ['step', 'sampled', 'temperature', 'greedy', 'pass@k', 'format', 'problems'];

/** A section about held-out problems. */
export function evaluationSection(evaluations: readonly EvalResult[]): string {
  const rows = evaluations.map((evaluation) => {
    const { step, format, n } = evaluation;
    const { sampled, greedy, passAtK } = accuraciesOf(evaluation);
    const cells = [
      step,
      sampled ? withInterval(sampled) : '–',
      sampled?.temperature ?? '–',
      greedy ? withInterval(greedy) : '–',
      passAtK ? `${withInterval(passAtK)}, k ${passAtK.k}` : '–',
      withInterval({ share: format, interval: wilson95(format, n) }),
      n,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const table = [`| ${HEADS.join(' | ')} |`, `|${HEADS.map(() => '---').join('|')}|`, ...rows];
  const body =
    rows.length === 0
      ? 'No evaluation was made.'
      : `${beforeAndAfter(evaluations)}${table.join('\n')}

Problems are held out from training. Sampled: the accuracy of one answer to each. Greedy: that of the answer of most likely tokens. pass@k: the share of
problems with a right one among k tries at temperature 1. Format: the share of answers in the right format. In brackets: 95% intervals,
by problem (Wilson; of what was added Agresti and Min).`;
  return `## Evaluation\n\n${body}\n`;
}

/** A section with the settings that differ from those of task and preset, as words of a command line; nothing without a run. */
export function settingsSection(config: RunConfig | null): string {
  if (config === null) return '';
  const words = differingKeys(config).map((key) => {
    const text = textOfValue(config[key]);
    return `${snakeName(key)}=${/^[\w.,+-]+$/.test(text) ? text : JSON.stringify(text)}`;
  });
  const given = words.length === 0 ? '(all as the task has them)' : words.join('\n');
  return `## Settings\n\nThose that differ from the defaults of task and preset:\n\n\`\`\`\n${given}\n\`\`\`\n`;
}
