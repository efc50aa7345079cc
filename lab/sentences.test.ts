import { expect, test } from 'vitest';
import { sentencesOf } from './sentences.ts';

const SOURCE = `import { a } from './two words.ts';
/** No comment is listed. */
const kind: 'one type' | 'another type' = 'one type' as const;
export const Card = () => (
  <section className="panel wide" title="The title of it" data-kind="not this one">
    <h2>Runs so far</h2>
    <p>
      Step {step} of <b>all</b>, {done ? 'already done' : 'not yet'}
    </p>
  </section>
);
notify({ title: 'One word: no', text: \`It took \${seconds} s.\` + ' Begin again.' });
throw new Error('word');
`;

test('lists what a person may read, whole sentences with … for a value, and where it begins', () => {
  expect(sentencesOf('card.tsx', SOURCE)).toEqual([
    { line: 3, text: 'one type' },
    { line: 5, text: 'The title of it' },
    { line: 6, text: 'Runs so far' },
    { line: 7, text: 'Step … of all, …' },
    { line: 8, text: 'already done' },
    { line: 8, text: 'not yet' },
    { line: 12, text: 'One word: no' },
    { line: 12, text: 'It took … s. Begin again.' },
  ]);
});
