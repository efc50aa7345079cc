/** A reporter of Vitest’s that prints rows of `npm run lab -- gpu`: one for each test that fails, as it fails, and one for each file. */
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { printLine } from '@rl-playground/base/print';
import { visibleJson } from '@rl-playground/base/visibleText';
import type { Row } from './rows.ts';

/** Characters of a message that are kept. */
const KEPT = 600;

const print = (row: Row): void => printLine(visibleJson(JSON.stringify(row)));

const failureOf = (errors: readonly { readonly message?: string }[]): string =>
  stripVTControlCharacters(errors.map(({ message = 'no message' }) => message).join('; ')).slice(0, KEPT);

export default class TestRows implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state === 'failed')
      print({ name: test.fullName, shape: test.module.relativeModuleId, failed: failureOf(errors) });
  }

  onTestModuleEnd(module: TestModule): void {
    const states = [...module.children.allTests()].map((test) => test.result().state);
    const [passed, failed] = ['passed', 'failed'].map(
      (state) => states.filter((each) => each === state).length,
    );
    const errors = module.errors();
    print({
      name: module.relativeModuleId,
      value: passed ?? 0,
      unit: 'tests passed',
      ...(failed ? { note: `${failed} failed` } : {}),
      ...(errors.length > 0 ? { failed: failureOf(errors) } : {}),
    });
  }
}
