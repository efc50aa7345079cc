/**
 * Programs that mean harm, each in a real browser. Every attack must end in an error or a harmless score, leave the page as it was,
 * reach no network, and leave the sandbox able to score the next program.
 */
import { describe, expect, it } from 'vitest';
import { harness, HONEST, ITEM } from '../testing/sandboxes.ts';

const { score, scoreOne, errorOf, errorOfStruck, totalOf, expectUnharmed } = harness();

describe('what is out of reach', () => {
  it.each([
    'fetch',
    'XMLHttpRequest',
    'WebSocket',
    'EventSource',
    'WebTransport',
    'RTCPeerConnection',
    'importScripts',
    'postMessage',
    'Worker',
    'SharedWorker',
    'BroadcastChannel',
    'MessageChannel',
    'localStorage',
    'sessionStorage',
    'indexedDB',
    'caches',
    'cookieStore',
    'navigator',
    'location',
    'document',
    'window',
    'self',
    'parent',
    'top',
    'opener',
    'crypto',
    'setTimeout',
    'setInterval',
    'queueMicrotask',
    'structuredClone',
    'WebAssembly',
    'Atomics',
    'SharedArrayBuffer',
    'performance',
    'process',
    'std',
    'os',
    'print',
    'scriptArgs',
    'loadScript',
  ])('%s', async (name) => {
    expect(await errorOf(`return ${name}.constructor ? 1 : 1;`)).toContain(`'${name}' is not defined`);
    expect(await errorOf(`return globalThis[${JSON.stringify(name)}]('https://example.com/');`)).toContain(
      'not a function',
    );
  });

  it('any global object of the page: the list of globals is the language and what the prelude gives', async () => {
    const outcome = await scoreOne(
      'console.log(Object.getOwnPropertyNames(globalThis).filter((name) => !/^[A-Z]|Error$/.test(name)).sort().join()); exports.score = () => 1;',
    );
    const names = (outcome.logs[0] ?? '').split(',');
    const language = [
      'console',
      'decodeURI',
      'decodeURIComponent',
      'encodeURI',
      'encodeURIComponent',
      'escape',
      'eval',
      'exports',
      'globalThis',
      'isFinite',
      'isNaN',
      'module',
      'parseFloat',
      'parseInt',
      'require',
      'undefined',
      'unescape',
    ];
    expect(names.filter((name) => !language.includes(name))).toEqual([]);
  });

  it('import, in all its forms', async () => {
    expect(await errorOf('return fs.x;', 'import fs from "fs";')).toContain('nothing to import');
    expect(await errorOf('return 1;', 'import "https://example.com/x.js";')).toContain('nothing to import');
    expect(await errorOf('return import("https://example.com/x.js");')).toContain('nothing to import');
    // Hidden from the type stripper.
    expect(await errorOf('return eval("import(\\"./sandboxWorker.ts\\")");')).toMatch(
      /could not load|promise|not/,
    );
    expect(await errorOf('return eval("import.meta.url");')).toMatch(/SyntaxError/);
  });

  it('the outside through constructors', async () => {
    expect(
      await errorOf(
        'return (function () {}).constructor("return globalThis")().fetch("https://example.com/");',
      ),
    ).toContain('not a function');
    expect(
      await errorOf('return this.constructor.constructor("return globalThis")().postMessage(1);'),
    ).toMatch(/TypeError/);
    expect(await errorOf('return console.log.constructor("return this")().document.title.length;')).toContain(
      'TypeError',
    );
    expect(
      await errorOf('return (async () => {}).constructor("return globalThis.localStorage.getItem(1)")();'),
    ).toContain('TypeError');
    expect(
      await errorOf('try { null.x } catch (e) { return e.constructor.constructor("return self")(); }'),
    ).toContain("'self' is not defined");
  });

  it('the network: nothing was asked for', () => {
    const asked = performance.getEntriesByType('resource').map(({ name }) => name);
    expect(asked.filter((name) => name.includes('example.com'))).toEqual([]);
  });
});

describe('storage', () => {
  it('is neither read nor written', async () => {
    localStorage.setItem('secret', 'kept');
    for (const reach of [
      'localStorage.secret',
      'indexedDB.open("x")',
      'caches.open("x")',
      'document.cookie',
      'navigator.storage',
    ])
      expect(await errorOf(`${reach}; return 1;`)).toContain('is not defined');
    expect(localStorage.getItem('secret')).toBe('kept');
    localStorage.removeItem('secret');
  });
});

describe('time', () => {
  it.each([
    ['an endless loop', 'while (true);'],
    ['an endless loop that catches', 'for (;;) { try { for (;;); } catch {} finally {} }'],
    ['a sort that never ends', 'return [3, 1, 2].sort(() => { for (;;); });'],
    ['a getter of the result that never ends', 'return { get reward() { for (;;); } };'],
    ['a proxy that never ends', 'return new Proxy({}, { get() { for (;;); } });'],
    ['a regular expression that blows up', 'return /^(a+)+$/.test("a".repeat(50) + "!") ? 1 : 0;'],
    ['another', 'return "x".repeat(60).replace(/(x+x+)+y/, "").length;'],
  ])('%s is stopped', async (_, body) => {
    expect(await errorOf(body)).toContain('stopped after 2,000,000 steps');
  });

  it('stops an endless program before score', async () => {
    expect(await errorOf('return 1;', 'for (;;);')).toContain('stopped after 2,000,000 steps');
  });

  it.each([
    ['in a text', 'return "a".repeat(2e6).indexOf("a".repeat(1e6) + "b");'],
    ['in a list', 'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);'],
  ])('kills the worker that is inside one endless search %s', async (_, body) => {
    expect(await errorOfStruck(body)).toContain('killed after 30 s');
  });

  it('ends promises that never settle, and microtasks without end', async () => {
    expect(await errorOf('return new Promise(() => {});')).toContain('will ever settle');
    expect(await errorOf('return (async () => { for (;;) await null; })();')).toContain('10000 steps');
    expect(await errorOf('const again = () => Promise.resolve().then(again); return again();')).toContain(
      '10000 steps',
    );
    expect(await errorOf('return { then(resolve) { resolve(this); } };')).toMatch(
      /reward \(or total\) is missing/,
    );
    expect(await totalOf('return Promise.resolve(0.25);')).toBe(0.25);
  });
});

const MEMORY = [
  ['arrays', 'const all = []; for (;;) all.push(new Array(10000).fill(all.length));'],
  ['a huge array', 'return new Array(4e9).fill(0).length;'],
  ['a huge typed array', 'return new Uint8Array(2 ** 31).length;'],
  ['a text that doubles', 'let text = "x"; for (;;) text += text;'],
  ['a map', 'const map = new Map(); for (let i = 0; ; i++) map.set(i, { i });'],
  ['a huge number', 'let n = 10n; for (;;) n = n * n;'],
  ['closures', 'let f = () => 1; for (;;) { const g = f; f = () => g; }'],
  ['a generator', 'return [...(function* () { for (;;) yield; })()].length;'],
  ['many typed arrays', 'const all = []; for (;;) all.push(new Float64Array(1e6));'],
  ['many texts', 'const all = []; for (;;) all.push("x".repeat(1e6) + all.length);'],
] as const;

describe('memory', () => {
  it.each(MEMORY)('%s run out of it', async (_, body) => {
    expect(await errorOf(body)).toMatch(/memory|too long|too large|invalid|stopped/i);
  });
});

describe('the stack', () => {
  it.each([
    ['recursion', 'return score();'],
    ['calls on the way out', 'const f = () => { try { f(); } finally { f(); } }; f();'],
    ['mutual recursion through getters', 'const o = { get x() { return this.x; } }; return o.x;'],
    ['deep JSON', 'return JSON.parse("[".repeat(1e6));'],
    ['deep brackets in a pattern', 'return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("") ? 1 : 0;'],
    [
      'a proxy of proxies',
      'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.reward;',
    ],
    ['nested source', 'return eval("(".repeat(1e5));'],
  ])('%s', async (_, body) => {
    expect(await errorOf(body)).toMatch(/\w/);
  });
});

describe('floods', () => {
  it('keeps the first lines of a console that is flooded', async () => {
    const outcome = await scoreOne(
      'function score() { for (let i = 0; i < 1e3; i++) console.log("line", i, "x".repeat(1000)); return 1; }',
    );
    expect(outcome.logs).toHaveLength(51);
    expect(outcome.logs[50]).toBe('… and 950 more');
    expect(Math.max(...outcome.logs.map((line) => line.length))).toBeLessThan(500);
    await expectUnharmed();
  });

  it('has no messages to send, and the page gets one answer for each item', async () => {
    let messages = 0;
    const count = () => messages++;
    window.addEventListener('message', count);
    expect(await errorOf('for (;;) postMessage("x");')).toContain("'postMessage' is not defined");
    expect(await errorOf('for (;;) globalThis.self.postMessage({ id: 1, kind: "outcome" });')).toContain(
      'TypeError',
    );
    const outcomes = await score(HONEST, [ITEM, ITEM, ITEM]);
    window.removeEventListener('message', count);
    expect(outcomes).toHaveLength(3);
    expect(messages).toBe(0);
  });

  it.each([
    ['text', 'return "x".repeat(1e6);', 'type string'],
    ['an array', 'return new Array(1e5).fill(1);', 'type object|type array'],
    [
      'an object of many parts',
      'const parts = {}; for (let i = 0; i < 1e3; i++) parts["p" + i] = 0; return { reward: 0, parts };',
      'at most 16',
    ],
    ['a part with a huge name', 'return { parts: { ["x".repeat(1e6)]: 1, ["y".repeat(1e6)]: NaN } };', 'NaN'],
    ['an error', 'throw new Error("x".repeat(1e7));', 'x{100}'],
    ['a huge number', 'return 1e300;', 'between'],
  ])('refuses %s as a result', async (_, body, expected) => {
    const error = await errorOf(body);
    expect(error).toMatch(new RegExp(expected));
    expect(error.length).toBeLessThan(700);
  });
});

describe('prototypes', () => {
  const tampering = `
    Object.prototype.polluted = 'yes';
    Array.prototype.push = () => 0;
    Array.prototype[Symbol.iterator] = function* () { yield 'stolen'; };
    JSON.stringify = () => '{"value":{"number":"1"}}';
    JSON.parse = () => ({ problem: {}, completion: {} });
    String.prototype.slice = () => '"}';
    Function.prototype.call = Function.prototype.apply = () => 7;
    Object.keys = () => ['__proto__'];
    Reflect.apply = () => 'x';
    globalThis.String = () => 'x';
    globalThis.Error = function () {};
    Promise.prototype.then = () => 1;`;

  it('tampered with, deceive only the program itself', async () => {
    expect(await totalOf('return completion.text.includes(problem.answer) ? 0.5 : 0;', tampering)).toBe(0.5);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect([1, 2].push(3)).toBe(3);
    expect(JSON.stringify({ a: 1 })).toBe('{"a":1}');
  });

  it('are not reached through names of parts', async () => {
    const outcome = await scoreOne(
      'function score() { return { parts: { ["__proto__"]: 1, constructor: 0.5, toString: 0 } }; }',
    );
    expect('scored' in outcome && Object.keys(outcome.scored.parts).sort()).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ]);
    expect(({} as Record<string, unknown>)['1']).toBeUndefined();
    await expectUnharmed();
  });

  it('frozen or replaced globals do not reach the next completion', async () => {
    const outcomes = await score(
      'globalThis.seen = (globalThis.seen ?? 0) + 1; function score() { Math.max = () => 9; globalThis.seen++; return Math.max(globalThis.seen, 0) > 8 ? globalThis.seen : -1; }',
      [ITEM, ITEM],
    );
    expect(outcomes.map((each) => 'scored' in each && each.scored.total)).toEqual([2, 2]);
  });
});
