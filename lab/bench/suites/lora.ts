/** LoRA on a frozen base: what others do in a tab by now, a pass of GRPO on one prompt; and its parts at other sizes. */
import {
  partRow,
  perSecond,
  timeRow,
  tokensAgree,
  trainingAgrees,
  valuesAgree,
  type Comparison,
  type Plan,
  type SuiteContext,
} from '../plan.ts';

const SAMPLES = 4;
const PROMPT = 32;
const RANK = 32;
const UPDATE = { rollouts: 8, length: 256 };
/** A step of GRPO: prompts, answers to each, and the tokens of both. */
const GROUPS = { count: 4, answers: 8, promptLength: 40, newTokens: 24 };
/** Groups of sampled answers, answers in each, and how many times as fast as transformers.js they are to be. */
const BATCHES = [
  { groups: 1, samples: 1, target: 1 },
  { groups: 8, samples: 8, target: 3.5 },
];
/** Numbers that a pass learns by: loss and gradient norm of two updates. Greedy tokens are behind them. */
const LEARNED = 4;

const TORCH = ['torch', 'torch tf32'] as const;

/** `tolerance` of what is learned, relative to its largest value. */
export const passAgreement =
  (tolerance: number): Comparison =>
  (ours, theirs) =>
    valuesAgree(tolerance)(ours.subarray(0, LEARNED), theirs.subarray(0, LEARNED)) ??
    tokensAgree(0.95)(ours.subarray(LEARNED), theirs.subarray(LEARNED));

export function loraPlans(context: SuiteContext): Plan[] {
  return context.quick
    ? [passPlan(context)]
    : [
        passPlan(context),
        ...decodePlans(context),
        updatePlan(context),
        groupsPlan(context, true),
        groupsPlan(context, false),
      ];
}

function passPlan({ model, tokens }: SuiteContext): Plan {
  const shape = `1 prompt x ${SAMPLES} answers x ${tokens} tokens, LoRA rank ${RANK}`;
  return {
    workload: {
      kind: 'pass',
      model,
      samples: SAMPLES,
      promptLength: PROMPT,
      newTokens: tokens,
      rank: RANK,
    },
    peers: ['jax-js'],
    agreement: passAgreement(2e-3),
    rows: [
      timeRow('pass of GRPO', shape, { 'jax-js': 3 }),
      partRow('pass of GRPO: sampling', shape, 'sampling'),
      partRow('pass of GRPO: update', shape, 'training'),
    ],
  };
}

function decodePlans({ model, tokens }: SuiteContext): Plan[] {
  return BATCHES.map(({ groups, samples, target }) => {
    const count = groups * samples;
    return {
      workload: {
        kind: 'rollout',
        model,
        groups,
        samples,
        promptLength: PROMPT,
        newTokens: tokens,
        rank: RANK,
      },
      peers: ['transformers.js'],
      agreement: tokensAgree(0.95),
      rows: [
        {
          name: 'sampling beside a frozen base',
          shape: `batch of ${count}, ${tokens} tokens`,
          unit: 'tokens/s',
          value: perSecond(count * tokens),
          target: { 'transformers.js': target },
        },
      ],
    };
  });
}

function updatePlan({ model }: SuiteContext): Plan {
  const { rollouts, length } = UPDATE;
  return {
    workload: { kind: 'train', model, rollouts, length, rank: RANK },
    peers: TORCH,
    agreement: trainingAgrees,
    rows: [timeRow('update of LoRA', `${rollouts} rollouts x ${length} tokens, rank ${RANK}`)],
  };
}

/** An update of several groups, and for comparison the same with a prompt of its own for each answer. */
function groupsPlan({ model }: SuiteContext, shares: boolean): Plan {
  const { count, answers, promptLength, newTokens } = GROUPS;
  const shape = `${count} x ${answers} answers x ${newTokens} tokens behind ${promptLength}, rank ${RANK}`;
  const name = shares ? 'update of groups' : 'update of groups: prompts of their own';
  return {
    workload: {
      kind: 'train',
      model,
      rollouts: count * answers,
      length: promptLength + newTokens - 1,
      groups: { promptLength, answers: shares ? answers : 1 },
      rank: RANK,
    },
    peers: shares ? TORCH : [],
    agreement: trainingAgrees,
    rows: [
      timeRow(name, shape),
      {
        name: `${name}: positions`,
        shape,
        unit: 'positions',
        value: ({ positions = NaN }) => positions,
      },
    ],
  };
}
