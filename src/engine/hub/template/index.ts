/**
 * Chat templates, rendered as Jinja2 3.1 renders them in the sandbox that transformers sets up: with `trim_blocks` and `lstrip_blocks`,
 * loop controls, the tag `generation`, `raise_exception`, `strftime_now`, and a `tojson` without escapes of HTML. What is not done here
 * as Jinja2 does it is refused with a reason.
 */
import { Context } from './frames.ts';
import { globalsAt } from './globals.ts';
import { Parser } from './parser.ts';
import { Renderer, type Program } from './renderer.ts';
import { fromJson } from './jsonText.ts';
import type { Value } from './values.ts';
import { bounded } from './work.ts';

export { variablesIn } from './jsonText.ts';
export { TemplateLimitError } from './work.ts';

export class ChatTemplate {
  readonly #program: Program;

  /** @throws Error if the text is no template. */
  constructor(text: string) {
    this.#program = bounded(() => ({ ...Parser.read(text), scopes: new Map(), macros: new Map() }));
  }

  /**
   * Renders the template with variables of JSON. `moment` is the time it takes for the present, as `localMoment` gives it.
   *
   * @throws TemplateLimitError, and Error if the template raises one or uses what is not known here.
   */
  render(variables: Readonly<Record<string, unknown>> | ReadonlyMap<string, Value>, moment: number): string {
    return bounded(() => {
      const given = variables instanceof Map ? [...variables] : fromObject(variables);
      return new Renderer(this.#program, new Context(new Map([...globalsAt(moment), ...given]))).run();
    });
  }
}

/** The variables that have a value. */
function fromObject(variables: object): [string, Value][] {
  return Object.entries(variables).flatMap(([name, value]): [string, Value][] =>
    value === undefined ? [] : [[name, fromJson(value)]],
  );
}
