/** Rows in the forms that datasets of the field have, each with its question and answer written by hand. */
import { expect, it } from 'vitest';
import { columnsError, guessColumns } from './columns.ts';
import { readRows, type ReadRows } from './readRows.ts';
import { readTable } from './readTable.ts';

function read(text: string): ReadRows {
  const table = readTable(text);
  const columns = guessColumns(table);
  if (columns === null) throw new Error(columnsError(table.columns));
  return readRows(table, columns);
}

const lines = (...rows: readonly unknown[]): string => rows.map((row) => JSON.stringify(row)).join('\n');

interface Shape {
  readonly text: string;
  readonly rows: ReadRows['rows'];
  readonly taken: string;
}

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });

const SHAPES: Readonly<Record<string, Shape>> = {
  GSM8K: {
    text: lines({ question: 'How many?', answer: '4*18=<<4*18=72>>72\n#### 72' }),
    rows: [{ question: 'How many?', answer: '4*18=<<4*18=72>>72\n#### 72' }],
    taken: 'the question from “question”, the answer from “answer”.',
  },
  MATH: {
    text: lines({ problem: 'What is $x$?', level: 'Level 2', type: 'Algebra', solution: 'So \\boxed{7}.' }),
    rows: [{ question: 'What is $x$?', answer: 'So \\boxed{7}.' }],
    taken: 'the question from “problem”, the answer from “solution”. Not used: “level”, “type”.',
  },
  MMLU: {
    text: lines({
      question: 'Find the degree of the extension.',
      subject: 'abstract_algebra',
      choices: ['0', '4', '2', '6'],
      answer: 1,
    }),
    rows: [{ question: 'Find the degree of the extension.\n\nA. 0\nB. 4\nC. 2\nD. 6', answer: 'B' }],
    taken:
      'the question from “question” with the choices in “choices” below it by their letters, the answer’s letter from “answer”, where numbers count from 0. Not used: “subject”.',
  },
  'MMLU-Pro': {
    text: lines({ question: 'Which?', options: ['x', 'y', 'z'], answer: 'C', answer_index: 2 }),
    rows: [{ question: 'Which?\n\nA. x\nB. y\nC. z', answer: 'C' }],
    taken:
      'the question from “question” with the choices in “options” below it by their letters, the answer’s letter from “answer”. Not used: “answer_index”.',
  },
  'ARC, with letters and with numbers': {
    text: lines(
      {
        id: 'M',
        question: 'Why?',
        choices: { text: ['sun', 'moon', 'star'], label: ['A', 'B', 'C'] },
        answerKey: 'C',
      },
      {
        id: 'N',
        question: 'How?',
        choices: { text: ['up', 'down', 'left', 'right'], label: ['1', '2', '3', '4'] },
        answerKey: '3',
      },
    ),
    rows: [
      { question: 'Why?\n\nA. sun\nB. moon\nC. star', answer: 'C' },
      { question: 'How?\n\nA. up\nB. down\nC. left\nD. right', answer: 'C' },
    ],
    taken:
      'the question from “question” with the choices in “choices” below it by their letters, the answer’s letter from “answerKey”. Not used: “id”.',
  },
  'OpenBookQA, whose labels were once its texts': {
    text: lines({
      question_stem: 'The sun is responsible for',
      choices: { text: ['puppies', 'plants'], label: ['puppies', 'plants'] },
      answerKey: 'B',
    }),
    rows: [{ question: 'The sun is responsible for\n\nA. puppies\nB. plants', answer: 'B' }],
    taken:
      'the question from “question_stem” with the choices in “choices” below it by their letters, the answer’s letter from “answerKey”.',
  },
  'MedQA, choices by their letters and the answer in words': {
    text: lines({
      question: 'Next step?',
      answer: 'Nitrofurantoin',
      options: { A: 'Ampicillin', B: 'Nitrofurantoin' },
      answer_idx: 'B',
    }),
    rows: [{ question: 'Next step?\n\nA. Ampicillin\nB. Nitrofurantoin', answer: 'B' }],
    taken:
      'the question from “question” with the choices in “options” below it by their letters, the answer’s letter from “answer”. Not used: “answer_idx”.',
  },
  'C-Eval, a column for each choice, one of them empty': {
    text: 'id,question,A,B,C,D,answer\n1,"First, or last?",,one,two,three,D\n2,Which?,a,b,c,d,A\n',
    rows: [
      { question: 'First, or last?\n\nA. one\nB. two\nC. three', answer: 'C' },
      { question: 'Which?\n\nA. a\nB. b\nC. c\nD. d', answer: 'A' },
    ],
    taken:
      'the question from “question” with the choices in “A”, “B”, “C”, “D” below it by their letters, the answer’s letter from “answer”. Not used: “id”.',
  },
  'WinoGrande, whose numbers name columns': {
    text: lines({ question: 'Who?', option1: 'Ian', option2: 'Dennis', answer: '2' }),
    rows: [{ question: 'Who?\n\nA. Ian\nB. Dennis', answer: 'B' }],
    taken:
      'the question from “question” with the choices in “option1”, “option2” below it by their letters, the answer’s letter from “answer”.',
  },
  'choices that are counted from 1, and bring their letters': {
    text: lines(
      { question: 'a?', options: ['A)21', 'B)22'], answer: 2 },
      { question: 'b?', options: ['A)5', 'B)6'], answer: 1 },
    ),
    rows: [
      { question: 'a?\n\nA. 21\nB. 22', answer: 'B' },
      { question: 'b?\n\nA. 5\nB. 6', answer: 'A' },
    ],
    taken:
      'the question from “question” with the choices in “options” below it by their letters, the answer’s letter from “answer”, where numbers count from 1.',
  },
  'HellaSwag, whose place is a text': {
    text: lines({ ctx: 'A man', endings: ['sits.', 'flies.'], label: '1' }),
    rows: [{ question: 'A man\n\nA. sits.\nB. flies.', answer: 'B' }],
    taken:
      'the question from “ctx” with the choices in “endings” below it by their letters, the answer’s letter from “label”, where numbers count from 0.',
  },
  MedMCQA: {
    text: lines({ question: 'Which?', opa: 'w', opb: 'x', opc: 'y', opd: 'z', cop: 3, exp: 'So.' }),
    rows: [{ question: 'Which?\n\nA. w\nB. x\nC. y\nD. z', answer: 'D' }],
    taken:
      'the question from “question” with the choices in “opa”, “opb”, “opc”, “opd” below it by their letters, the answer’s letter from “cop”, where numbers count from 0. Not used: “exp”.',
  },
  'RACE: an article, a question and options': {
    text: lines({ article: 'Long ago.', question: 'When?', options: ['now', 'then'], answer: 'B' }),
    rows: [{ question: 'Long ago.\n\nWhen?\n\nA. now\nB. then', answer: 'B' }],
    taken:
      'the question from “question” with “article” above it and with the choices in “options” below it by their letters, the answer’s letter from “answer”.',
  },
  BoolQ: {
    text: lines({ question: 'is it', passage: 'It is.', answer: true }),
    rows: [{ question: 'It is.\n\nis it', answer: 'true' }],
    taken: 'the question from “question” with “passage” above it, the answer from “answer”.',
  },
  'GPQA, with spaces in its names': {
    text: 'Question,Correct Answer,Incorrect Answer 1\nHow?,10^-4 eV,10^-9 eV\n',
    rows: [{ question: 'How?', answer: '10^-4 eV' }],
    taken: 'the question from “Question”, the answer from “Correct Answer”. Not used: “Incorrect Answer 1”.',
  },
  'a table with lists and messages as JSON': {
    text: 'prompt;choices;answer\n"[{""role"": ""user"", ""content"": ""Which?""}]";"[""x"", ""y""]";1\n',
    rows: [{ question: 'Which?\n\nA. x\nB. y', answer: 'B' }],
    taken:
      'the question from the last turn of the user in “prompt” with the choices in “choices” below it by their letters, the answer’s letter from “answer”, where numbers count from 0.',
  },
  Alpaca: {
    text: JSON.stringify([
      { instruction: 'Add them.', input: '2, 3', output: '5' },
      { instruction: 'Name a colour.', input: '', output: 'Red' },
      { instruction: 'Name a fruit.', output: 'Fig' },
    ]),
    rows: [
      { question: 'Add them.\n\n2, 3', answer: '5' },
      { question: 'Name a colour.', answer: 'Red' },
      { question: 'Name a fruit.', answer: 'Fig' },
    ],
    taken: 'the question from “instruction” with “input” below it, the answer from “output”.',
  },
  Dolly: {
    text: lines(
      { instruction: 'When?', context: 'It began in 2000.', response: '2000', category: 'closed_qa' },
      { instruction: 'Why?', context: '', response: 'So.', category: 'open_qa' },
    ),
    rows: [
      { question: 'It began in 2000.\n\nWhen?', answer: '2000' },
      { question: 'Why?', answer: 'So.' },
    ],
    taken:
      'the question from “instruction” with “context” above it, the answer from “response”. Not used: “category”.',
  },
  SQuAD: {
    text: lines({
      id: '5',
      title: 'Bowl',
      context: 'Denver won.',
      question: 'Who won?',
      answers: { text: ['Denver', 'Denver Broncos'], answer_start: [0, 0] },
    }),
    rows: [{ question: 'Denver won.\n\nWho won?', answer: 'Denver' }],
    taken:
      'the question from “question” with “context” above it, the answer from “answers.text”. Of several answers the first is taken, in 1 row. Not used: “id”, “title”.',
  },
  'HotpotQA, whose context is no text': {
    text: lines({ question: 'Who?', answer: 'yes', context: { title: ['a'], sentences: [['b']] } }),
    rows: [{ question: 'Who?', answer: 'yes' }],
    taken: 'the question from “question”, the answer from “answer”. Not used: “context”.',
  },
  OpenR1: {
    text: lines({
      problem: 'Ship?',
      solution: 'Long.',
      answer: 'v=6, u=2',
      problem_type: 'Algebra',
      generations: ['a', 'b'],
      messages: [user('Ship?'), assistant('Long.')],
    }),
    rows: [{ question: 'Ship?', answer: 'v=6, u=2' }],
    taken:
      'the question from “problem”, the answer from “answer”. Not used: “solution”, “problem_type”, “generations”, “messages”.',
  },
  'verl, as its gsm8k.py writes it': {
    text: lines({
      data_source: 'openai/gsm8k',
      prompt: [user('How many? Let’s think step by step.')],
      ability: 'math',
      reward_model: { style: 'rule', ground_truth: '72' },
      extra_info: { split: 'train', index: 0, answer: '#### 72', question: 'How many?' },
    }),
    rows: [{ question: 'How many? Let’s think step by step.', answer: '72' }],
    taken:
      'the question from the last turn of the user in “prompt”, the answer from “reward_model.ground_truth”. Not used: “data_source”, “ability”, “extra_info”.',
  },
  'TRL’s GRPO: messages and a solution': {
    text: lines({
      prompt: [system('Think.'), user('1+1?'), assistant('2'), user('2+2?')],
      solution: '$4$',
    }),
    rows: [
      { question: '2+2?', answer: '$4$', system: 'Think.', earlier: [user('1+1?'), assistant('2')] },
    ] as ReadRows['rows'],
    taken:
      'the question from the last turn of the user in “prompt”, the answer from “solution”. The system message of 1 row takes the place of the task’s system prompt. The earlier turns of 1 row are asked along.',
  },
  'TRL’s prompt-completion': {
    text: lines({ prompt: 'The sky is', completion: ' blue.' }),
    rows: [{ question: 'The sky is', answer: 'blue.' }],
    taken: 'the question from “prompt”, the answer from “completion”.',
  },
  'TRL’s prompt-completion, as messages': {
    text: lines({ prompt: [user('What color?')], completion: [assistant('It is blue.')] }),
    rows: [{ question: 'What color?', answer: 'It is blue.' }],
    taken:
      'the question from the last turn of the user in “prompt”, the answer from the last turn of the assistant in “completion”.',
  },
  'messages that end with the answer': {
    text: lines({
      messages: [
        system('Be kind.'),
        { role: 'user', content: [{ type: 'text', text: 'Hi?' }] },
        assistant('Ho.'),
      ],
    }),
    rows: [{ question: 'Hi?', answer: 'Ho.', system: 'Be kind.' }],
    taken:
      'the question from the last turn of the user in “messages”, the answer from the last turn of the assistant in “messages”. The system message of 1 row takes the place of the task’s system prompt.',
  },
  ShareGPT: {
    text: lines({
      conversations: [
        { from: 'human', value: 'Hi?' },
        { from: 'gpt', value: 'Ho.' },
      ],
    }),
    rows: [{ question: 'Hi?', answer: 'Ho.' }],
    taken:
      'the question from the last turn of the user in “conversations”, the answer from the last turn of the assistant in “conversations”.',
  },
  '{"data": […]}': {
    text: JSON.stringify({ version: '1', data: [{ question: 'a', answer: 1 }] }, null, 2),
    rows: [{ question: 'a', answer: '1' }],
    taken: 'the question from “question”, the answer from “answer”.',
  },
  'a list for each column': {
    text: '{"question": ["a", "b"], "answer": [1.50, 9007199254740993]}',
    rows: [
      { question: 'a', answer: '1.50' },
      { question: 'b', answer: '9007199254740993' },
    ],
    taken: 'the question from “question”, the answer from “answer”.',
  },
  'pandas’ to_json': {
    text: '{"question":{"0":"a","1":"b"},"answer":{"0":3,"1":4}}',
    rows: [
      { question: 'a', answer: '3' },
      { question: 'b', answer: '4' },
    ],
    taken: 'the question from “question”, the answer from “answer”.',
  },
  'pandas’ to_json(orient="split")': {
    text: '{"columns":["question","answer"],"index":[0],"data":[["a",3]]}',
    rows: [{ question: 'a', answer: '3' }],
    taken: 'the question from “question”, the answer from “answer”.',
  },
  'the Hub’s server of rows': {
    text: JSON.stringify({
      features: [{ name: 'question' }],
      rows: [{ row_idx: 0, row: { question: 'a', answer: 'b' }, truncated_cells: [] }],
    }),
    rows: [{ question: 'a', answer: 'b' }],
    taken: 'the question from “question”, the answer from “answer”.',
  },
};

it.each(Object.entries(SHAPES))('%s', (_, { text, rows, taken }) => {
  const found = read(text);
  expect(found.bad).toEqual([]);
  expect(found.rows).toEqual(rows);
  expect(`${found.taken} ${found.along}`.trim()).toBe(taken);
});

it.each([
  [{ question: 'a', choices: ['x', 'y'], answer: 'z' }, /line 1 has the answer "z".*of its 2 choices/],
  [{ question: 'a', choices: ['x', 'y'], answer: 7 }, /line 1 has the answer "7"/],
  [{ question: 'a', choices: ['x'], answer: 0 }, /has 1 choice; 2 to 26 are needed/],
  [{ question: 'a', answer: ['x', 'y'] }, /has a list of 2 values as answer/],
  [{ prompt: [assistant('a')], answer: 'b' }, /has no turn of the user/],
  [{ prompt: [{ role: 'tool', content: 'a' }, user('b')], answer: 'c' }, /has the role "tool" in message 1/],
  [
    { prompt: [user('a'), { ...assistant(''), tool_calls: [{}] }, user('b')], answer: 'c' },
    /has "tool_calls" in message 2/,
  ],
  [
    { prompt: [{ role: 'user', content: [{ type: 'image' }] }], answer: 'c' },
    /as content of message 1; a text/,
  ],
  [{ messages: [user('a')] }, /has no answer of the assistant at the end/],
])('a row that gives no question with an answer is named: %#', (row, says) => {
  const { rows, bad } = read(lines(row));
  expect(rows).toEqual([]);
  expect(`line ${bad[0]?.line} ${bad[0]?.message}`).toMatch(says);
});
