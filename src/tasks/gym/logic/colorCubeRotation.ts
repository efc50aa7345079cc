import { pick, shuffled, uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { sameWords } from '../shared/scoring.ts';

export const SIDES = ['top', 'right', 'front', 'left', 'back', 'bottom'] as const;
export type Side = (typeof SIDES)[number];
export type Cube = Readonly<Record<Side, string>>;

const COLORS: readonly string[] =
  'red green blue yellow white orange purple pink brown gray cyan magenta gold silver indigo violet'.split(
    ' ',
  );

/** Sides that can be turned to the top. */
export const TURNED = ['right', 'front', 'left', 'back', 'bottom'] as const;
export type Turn = (typeof TURNED)[number];

/** The sides that change places: each receives the colour of the one behind it, the last that of the first. */
const CYCLES: Readonly<Record<Exclude<Turn, 'bottom'>, readonly Side[]>> = {
  right: ['top', 'right', 'bottom', 'left'],
  front: ['top', 'front', 'bottom', 'back'],
  left: ['top', 'left', 'bottom', 'right'],
  back: ['top', 'back', 'bottom', 'front'],
};

/** The cube with side `turn` at the top; from the bottom by way of the front, so that left and right stay. */
export function turnCube(cube: Cube, turn: Turn): Cube {
  if (turn === 'bottom') return turnCube(turnCube(cube, 'front'), 'front');
  const turned: Record<Side, string> = { ...cube };
  const cycle = CYCLES[turn];
  for (const [i, side] of cycle.entries()) turned[side] = cube[cycle[(i + 1) % cycle.length] ?? side];
  return turned;
}

const FURTHER: readonly ((side: Turn) => string)[] = [
  (side) => `Next it is turned so that its ${side} side comes to the top.`,
  (side) => `It is then rotated until the ${side} face is the top one.`,
  (side) => `After that the ${side} side is brought to the top.`,
  (side) => `Now the cube is tipped over, and the ${side} side becomes the top.`,
];

const describe = (cube: Cube): string => SIDES.map((side) => `${side} ${cube[side]}`).join(', ');

export const colorCubeRotation = defineGymTask({
  name: 'color_cube_rotation',
  title: 'Turn a coloured cube',
  summary: 'Say which colour a side of a cube has after a few turns.',
  family: 'logic',
  fields: {
    min_rotations: whole('Fewest turns', 'Turns of the easiest cubes.', 1, 100, 1),
    max_rotations: whole('Most turns', 'Turns of the hardest cubes.', 1, 100, 3),
  },
  levels: [
    { max_rotations: 1 },
    { max_rotations: 2 },
    {},
    { max_rotations: 5 },
    { min_rotations: 5, max_rotations: 20 },
  ],
  draw(draw, { min_rotations, max_rotations }) {
    const colors = shuffled(draw, COLORS);
    const cube = Object.fromEntries(SIDES.map((side, i) => [side, colors[i] ?? ''])) as Cube;
    const count = uniformInt(draw, min_rotations, max_rotations);
    const rotations = Array.from({ length: count }, () => pick(draw, TURNED));
    const target = pick(draw, SIDES);
    const story = rotations.map((side, i) =>
      i === 0 ? `The cube is turned so that its ${side} side comes to the top.` : pick(draw, FURTHER)(side),
    );
    return {
      question: `The sides of a cube have these colors:\n${SIDES.map((side) => `- ${side}: ${cube[side]}`).join('\n')}\n\nA side comes to the top by the shortest way; the bottom comes there by way of the front, so that left and right stay where they are.\n\n${story.join('\n')}\n\nWhich color does the ${target} side have now? Answer with the color only.`,
      key: `${describe(cube)}; ${rotations.join(' ')}; ${target}`,
      answer: rotations.reduce(turnCube, cube)[target],
      data: { initial_state: cube, rotations, target_side: target, num_rotations: count },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) =>
    sameWords(candidate, answer) ? 1 : mode === 'upstream' ? 0.01 : 0,
  /** The colours after each turn. */
  steps({ data: { initial_state, rotations } }) {
    let cube: Cube = initial_state;
    return rotations
      .map((turn) => {
        cube = turnCube(cube, turn);
        return `${turn} to the top: ${describe(cube)}`;
      })
      .join('\n');
  },
});
