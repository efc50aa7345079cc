import * as z from 'zod';
import { whole } from '../../fields.ts';
import { stripSpace } from '../../python/text.ts';
import { pick, shuffled, uniformInt } from '../../../base/random.ts';
import { COLORS, SIDES, TURNED, turnCube, type Cube, type Turn } from './colorCube.ts';
import { defineGymTask } from '../shared/define.ts';

const FURTHER: readonly ((side: Turn) => string)[] = [
  (side) => `Next it is turned so that its ${side} side comes to the top.`,
  (side) => `It is then rotated until the ${side} face is the top one.`,
  (side) => `After that the ${side} side is brought to the top.`,
  (side) => `Now the cube is tipped over, and the ${side} side becomes the top.`,
];

const describe = (cube: Cube): string => SIDES.map((side) => `${side} ${cube[side]}`).join(', ');

/** A cube with coloured sides that is turned over, and a question about one side. */
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
  metadata: z.looseObject({
    initial_state: z.record(z.enum(SIDES), z.string()).optional(),
    rotations: z.array(z.enum(TURNED)).optional(),
  }),
  ordered: [['min_rotations', 'max_rotations']],
  draw(draw, { min_rotations, max_rotations }) {
    const colors = shuffled(draw, COLORS);
    const cube = Object.fromEntries(SIDES.map((side, i) => [side, colors[i] ?? ''])) as Record<
      (typeof SIDES)[number],
      string
    >;
    const count = uniformInt(draw, min_rotations, max_rotations);
    const rotations = Array.from({ length: count }, () => pick(draw, TURNED));
    const target = pick(draw, SIDES);
    const story = rotations.map((side, i) =>
      i === 0 ? `The cube is turned so that its ${side} side comes to the top.` : pick(draw, FURTHER)(side),
    );
    return {
      question: `The sides of a cube have these colors:\n${SIDES.map((side) => `- ${side}: ${cube[side]}`).join('\n')}\n\nA side comes to the top by the shortest way; the bottom comes there by way of the front, so that left and right stay where they are.\n\n${story.join('\n')}\n\nWhich color does the ${target} side have now? Answer with the color only.`,
      key: `${describe(cube)}; ${rotations.join(' ')}; ${target}`,
      answer: rotations.reduce(turnCube, cube as Cube)[target],
      data: { initial_state: cube, rotations, target_side: target, num_rotations: count },
    };
  },
  scoreAnswer(candidate, { answer }, mode) {
    if (candidate === null) return 0;
    const [given, truth] = [candidate, answer].map((text) => stripSpace(text).toLowerCase());
    return given === truth ? 1 : mode === 'upstream' ? 0.01 : 0;
  },
  /** The colours after each turn. */
  steps({ metadata: { initial_state, rotations } }) {
    let cube: Cube | undefined = initial_state;
    return (rotations ?? [])
      .map((turn) => {
        cube = cube && turnCube(cube, turn);
        return `${turn} to the top: ${cube === undefined ? '' : describe(cube)}`;
      })
      .join('\n');
  },
});
