/** The `README.md` of a run that is handed over. */
import type { HandoffRun } from './settings/fate.ts';
import { SYSTEM_NOTES, type HandoffSystem } from './systems.ts';

const DATA: Readonly<Record<HandoffSystem, string>> = {
  trl: '`train.jsonl`, `eval.jsonl`',
  verl: '`train.parquet`, `eval.parquet`',
  'prime-rl': '`train.jsonl`, `eval.jsonl` in the taskset package',
};

export function readmeText(
  system: HandoffSystem,
  run: HandoffRun,
  commands: string,
  modelName: string,
): string {
  const { title, version, date } = SYSTEM_NOTES[system];
  const { config, step, rows, heldOut, model, adapter, packages } = run;
  return `# A run of RL Playground, to go on in ${title}

${modelName} on the task ${config.task}, after ${step} steps; ${run.stepsLeft} more are asked for. Written for ${title} ${version} (${date}).

\`\`\`sh
${commands}
\`\`\`

- Model: \`${model}\`${adapter === null ? '' : `, adapter \`${adapter}\``}
- Data: ${DATA[system]}: ${rows} training problems that the run would ask next, ${heldOut} held-out ones
- Reward: \`reward.py\`, ${packages.length === 0 ? 'the task’s own rules in Python' : `which needs ${packages.map((name) => `\`${name}\``).join(' and ')} to be installed, as the commands do`}
- [not_carried.md](not_carried.md): every setting, and what becomes of it
`;
}
