import { describe, expect, it } from 'vitest';
import { columnsError, guessColumns } from './columns.ts';
import { readRows, type ReadRows } from './readRows.ts';
import { decodeText, readTable } from './readTable.ts';

function read(text: string): ReadRows {
  const table = readTable(text);
  const columns = guessColumns(table);
  if (columns === null) throw new Error(columnsError(table.columns));
  return readRows(table, columns);
}

describe('JSONL', () => {
  it('reads text, numbers and yes or no', () => {
    const { rows, bad } = read('{"question":"1+1?","answer":2}\n\n{"question":"even?","answer":true}\r\n');
    expect(rows).toEqual([
      { question: '1+1?', answer: '2' },
      { question: 'even?', answer: 'true' },
    ]);
    expect(bad).toEqual([]);
  });

  it('names each bad line and keeps the rest', () => {
    const { rows, bad } = read(
      [
        '{"prompt":"a","target":"1"}',
        '{"prompt":"b","target":',
        '["c","3"]',
        '{"prompt":"d"}',
        '{"prompt":"  ","target":"5"}',
        '{"prompt":"f","target":{"x":1}}',
        '{"prompt":"g","target":"7"}',
      ].join('\n'),
    );
    expect(rows.map(({ question }) => question)).toEqual(['a', 'g']);
    expect(bad.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6]);
    expect(bad[0]?.message).toContain('not JSON');
    expect(bad[3]?.message).toContain('empty question');
    expect(bad[4]?.message).toContain('no answer');
  });

  it('says why where no line is a row', () => {
    expect(() => read('{"question": 1\n{"question": 2\n')).toThrow(
      /^None of the 2 lines is a row: line 1 is not JSON \(.*; line 2 is not JSON/,
    );
    expect(() => read("{'question': 'a', 'answer': 'b'}")).toThrow(/single quotes.*json\.dumps/);
    expect(() => read('[1, 2]')).toThrow(/None of the 2 lines is a row: line 1 is not an object/);
    expect(() => read('{"question": ["a"], "answer": ["b", "c"]}')).toThrow(
      /column "question" has 1 value, and "answer" has 2/,
    );
    expect(() => read('{"train": [{"question": "a"}], "test": [{"question": "b"}]}')).toThrow(
      /2 lists of rows \(train, test\)/,
    );
  });

  it('keeps the text of numbers', () => {
    const { rows } = read('{"question":"a","answer":9007199254740993}\n{"question":1.0,"answer":3.10}');
    expect(rows).toEqual([
      { question: 'a', answer: '9007199254740993' },
      { question: '1.0', answer: '3.10' },
    ]);
  });

  it('is not fooled by keys of the prototype', () => {
    const { rows, bad } = read('{"question":"a","answer":"1"}\n{"__proto__":{"answer":"2"},"question":"b"}');
    expect(rows).toEqual([{ question: 'a', answer: '1' }]);
    expect(bad).toHaveLength(1);
  });

  it('reads 100,000 rows', () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `{"question":"q${i}","answer":"${i}"}`).join('\n');
    const { rows, bad } = read(text);
    expect(rows).toHaveLength(100_000);
    expect(rows[99_999]).toEqual({ question: 'q99999', answer: '99999' });
    expect(bad).toEqual([]);
  });
});

describe('tables', () => {
  it.each([
    ['commas', ','],
    ['tabs', '\t'],
    ['semicolons', ';'],
    ['bars', '|'],
  ])('guesses %s', (_, delimiter) => {
    const text = [
      ['id', 'Input', 'Output'],
      ['1', 'x', 'y'],
      ['2', 'u', 'v'],
    ]
      .map((row) => row.join(delimiter))
      .join('\n');
    expect(read(text).rows).toEqual([
      { question: 'x', answer: 'y' },
      { question: 'u', answer: 'v' },
    ]);
  });

  it('reads a byte order mark, quotes, doubled quotes and line ends within them', () => {
    const { rows, bad } = read('\uFEFFquestion,answer\r\n"Say ""hi"",\nplease",hi\r\nbare,2\r\n');
    expect(rows).toEqual([
      { question: 'Say "hi",\nplease', answer: 'hi' },
      { question: 'bare', answer: '2' },
    ]);
    expect(bad).toEqual([]);
  });

  it('counts lines of the file, not records', () => {
    const { rows, bad } = read('question,answer\n"two\nlines",1\nonly one\nq,2\na,b,c\n,3\n');
    expect(rows.map(({ answer }) => answer)).toEqual(['1', '2']);
    expect(bad.map(({ line }) => line)).toEqual([4, 6, 7]);
    expect(bad[1]?.message).toContain('3 values');
    expect(bad[1]?.message).toContain('2 columns');
  });

  it('names a quote that never closes by the line it opens on', () => {
    const { rows, bad } = read('question,answer\na,1\nb,"2\nc,3\n');
    expect(rows).toEqual([{ question: 'a', answer: '1' }]);
    expect(bad.map(({ line }) => line)).toEqual([3]);
  });

  it('reads 100,000 rows', () => {
    const text = `prompt,answer\n${Array.from({ length: 100_000 }, (_, i) => `"q, ${i}",${i}`).join('\n')}`;
    const { rows } = read(text);
    expect(rows).toHaveLength(100_000);
    expect(rows[70_000]).toEqual({ question: 'q, 70000', answer: '70000' });
  });

  it.each([
    ['a last line break', 'name;office\nquestion;answer\n', 0],
    ['a last line break and tabs', 'question\tanswer\nWhat, then?\t4\n\n', 1],
    ['decimal commas', 'question;answer\n1;3,5\n2;4,5\n', 2],
    ['decimal commas and tabs', 'X\tY\tZ\n120,5\t50,3\t2,35\n', 0],
    ['large numbers with commas', 'nome;telefone\nJessica;5,58199E+12\nJoi;5,51197E+12\n', 0],
    ['commas within quotes', 'question;answer\nA;"i,e,l,d\n,3"\n', 1],
    ['commas in the names', 'id;question;answer, short\n1;a;b\n', 0],
  ])('finds the delimiter beside %s', (_, text, rows) => {
    const { columns, records, bad } = readTable(text);
    expect(columns).toEqual((text.split('\n')[0] ?? '').split(/[;\t]/));
    expect(bad).toEqual([]);
    expect(records).toHaveLength(text.trim().split(/\n(?!,)/).length - 1);
    if (rows > 0) expect(read(text).rows).toHaveLength(rows);
  });

  it('takes the likelier of two names', () => {
    expect(guessColumns({ columns: ['completion', 'PROMPT', ' Answer ', 'question'] })).toEqual({
      question: 3,
      answer: 2,
    });
  });

  it('says what was found where no column fits', () => {
    expect(() => read('frage,antwort\na,b\n')).toThrow(
      /2 columns were found \("frage", "antwort"\).*choose them/,
    );
    expect(() => read('just text\nmore text\n')).toThrow(/1 column was found.*Two are needed/);
  });
});

describe('what is no table', () => {
  it('reads a JSON list', () => {
    const { rows, bad } = read('[{"question":"a","answer":1}, 7]');
    expect(rows).toEqual([{ question: 'a', answer: '1' }]);
    expect(bad).toEqual([{ line: 2, message: 'is not an object with a question and an answer' }]);
  });

  it('refuses emptiness, a broken list and binary data', () => {
    expect(() => readTable(' \n\uFEFF ')).toThrow(/empty/);
    expect(() => readTable('[{"question":1},')).toThrow(/begins like a JSON list/);
    expect(() => decodeText(new Uint8Array([0x50, 0x41, 0x52, 0x31, 0, 0, 1]))).toThrow(/binary/);
    expect(() => decodeText(new Uint8Array([0x71, 0xe9, 0x2c, 0x61]))).toThrow(/UTF-8/);
  });

  it('reads UTF-16 with its mark', () => {
    const units = Uint16Array.from('\uFEFFé,b', (c) => c.charCodeAt(0));
    expect(decodeText(new Uint8Array(units.buffer))).toBe('é,b');
  });
});
