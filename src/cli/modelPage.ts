/** A model in the built page in a headless browser, on its GPU, answering rows of `npx rl-playground model`. */
import type { Page } from 'playwright';
import type { ChosenInspection } from '@rl-playground/run/inspect/inPage';
import type { ModelPaths } from '@rl-playground/run/models/node';
import { ensureBuilt } from './build.ts';
import { choose, crashOf, openEnginePage, ownOf } from './enginePage.ts';
import { serve } from './serve.ts';

/** @throws Error if there is no GPU, or with the page's words if model or adapter can't be used. */
export async function openModelPage(
  asked: ChosenInspection,
  paths: ModelPaths,
): Promise<{ answer(row: string): Promise<string>; close(): Promise<void> }> {
  await ensureBuilt((text) => process.stderr.write(text));
  const host = await serve({ port: 0 });
  try {
    const { browser, page } = await openEnginePage(host.url, { backend: 'webgpu' });
    const close = async (): Promise<void> => {
      await browser.close();
      await host.close();
    };
    try {
      return { answer: await opened(page, asked, paths), close };
    } catch (error) {
      await browser.close();
      throw error;
    }
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** Opens the model in the page. Returns what answers its rows there. */
async function opened(
  page: Page,
  asked: ChosenInspection,
  paths: ModelPaths,
): Promise<(row: string) => Promise<string>> {
  const own = await ownOf(page);
  const inspect = await own.evaluateHandle((functions) => functions.inspect());
  const chosen = {
    asked,
    model: await choose(page, paths.model),
    adapter: await choose(page, paths.adapter),
  };
  // A failure comes back as its message: thrown, it would carry the page's stack along.
  const refused = inspect.evaluate(
    ({ openChosen }, { asked: what, model, adapter }) =>
      openChosen(what, [...(model.files ?? [])], [...(adapter.files ?? [])]).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
    chosen,
  );
  const problem = await Promise.race([refused, crashOf(page)]);
  if (problem !== null) throw new Error(problem);
  return (row) =>
    Promise.race([inspect.evaluate(({ answerRow }, text) => answerRow(text), row), crashOf(page)]);
}
