/** The files with which prime-rl goes on: configuration, the run's loss, and a taskset of verifiers, beside model, data and reward. */
import lossSource from '../python/prime_loss.py?raw';
import tasksetSource from '../python/prime_taskset.py?raw';
import { fatesOf, fieldsOf, type Fields, type HandoffRun, type TrainerFiles } from '../settings/fate.ts';
import { nested, tomlText } from '../settings/texts.ts';
import FIXED from '../settings/fixed.json' with { type: 'json' };
import { PRIME_RL_ROWS } from './rows.ts';

/** The package of the taskset, and its name as prime-rl asks for it. */
export const PACKAGE = 'rl_playground_handoff';
const TASKSET = 'rl-playground-handoff';

/** Fields beside the settings of the run. */
export const primeRlFixed = ({ promptTokens, config }: HandoffRun): Fields => ({
  seq_len: promptTokens + config.maxTokens,
  ...FIXED['prime-rl'],
});

const source = (split: 'train' | 'eval'): string => {
  const path = `orchestrator.${split}.source`;
  return `[[${path}]]
name = "${split}"

[${path}.env.taskset]
id = "${TASKSET}"
split = "${split}"

[${path}.env.agent.harness]
id = "null"

[${path}.env.agent.runtime]
type = "subprocess"`;
};

const pyproject = ({ packages }: HandoffRun): string => `[project]
name = "${TASKSET}"
version = "0.1.0"
description = "Problems and rewards of a run of RL Playground"
requires-python = ">=3.11"
dependencies = ${JSON.stringify(packages)}

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
packages = ["${PACKAGE}"]
`;

const COMMANDS = `export HANDOFF="$PWD"                       # this folder; then, in a clone of prime-rl:
uv pip install "$HANDOFF"                   # the taskset, and what its reward needs
PYTHONPATH="$HANDOFF" uv run rl @ "$HANDOFF/rl.toml" --model.name "$HANDOFF/model" --output-dir "$HANDOFF/out"`;

const NOTES: readonly string[] = [
  'AdamW begins anew: prime-rl resumes from checkpoints of its own alone.',
  'The loss is `handoff_loss.py`, the run’s own in place of prime-rl’s DPPO with KL; the trainer divides it by the tokens of the batch.',
  'vLLM computes in bfloat16, the trainer’s forward pass, too; here everything is in 32 bits.',
  'Under a chat template that thinks, the renderer takes thoughts out before `reward.py` sees the text.',
];

export function primeRlFiles(run: HandoffRun): TrainerFiles {
  const fates = fatesOf(PRIME_RL_ROWS, run);
  const sections = tomlText(nested(fieldsOf(fates, primeRlFixed(run))));
  return {
    texts: new Map([
      ['rl.toml', `${[sections, source('train'), source('eval')].join('\n\n')}\n`],
      ['handoff_loss.py', lossSource],
      ['pyproject.toml', pyproject(run)],
      [
        `${PACKAGE}/__init__.py`,
        `from ${PACKAGE}.taskset import HandoffTaskset\n\n__all__ = ["HandoffTaskset"]\n`,
      ],
      [`${PACKAGE}/taskset.py`, tasksetSource],
    ]),
    fates,
    notes: NOTES,
    commands: COMMANDS,
  };
}
