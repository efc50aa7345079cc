/** A model in the built page in a headless browser, on its GPU, answering rows of `npx rl-playground model`. */
import type { Page } from 'playwright';
import type { BaseFormat, ModelFiles } from '@rl-playground/engine/parts';
import type { InspectionFiles } from '@rl-playground/run/inspect';
import type { ServedInspection } from '@rl-playground/run/inspect/inPage';
import { ensureBuilt } from './build.ts';
import { crashOf, openEnginePage, ownOf } from './enginePage.ts';
import { serve, type ServedPage } from './serve.ts';
import { serveModel } from './serveModel.ts';

/** @throws Error if there is no GPU, or with the page's words if model or adapter can't be used. */
export async function openModelPage(
  { model, adapter }: InspectionFiles,
  baseFormat: BaseFormat,
): Promise<{ answer(row: string): Promise<string>; close(): Promise<void> }> {
  await ensureBuilt((text) => process.stderr.write(text));
  const toClose: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const each of toClose.splice(0).reverse()) await each.close();
  };
  const kept = <T extends { close(): Promise<void> }>(each: T): T => {
    toClose.push(each);
    return each;
  };
  try {
    const host = kept(await serve({ port: 0 }));
    const served = async (files: ModelFiles): Promise<{ label: string; address: string }> => {
      const { url }: ServedPage = kept(await serveModel(files, host.url));
      return { label: files.label, address: url };
    };
    const asked: ServedInspection = {
      model: await served(model),
      adapter: adapter && (await served(adapter)),
      baseFormat,
    };
    const { browser, page } = await openEnginePage(host.url, { backend: 'webgpu' });
    kept(browser);
    const inspect = await (await ownOf(page)).evaluateHandle((own) => own.inspect());
    // A failure comes back as its message: thrown, it would carry the page's stack along.
    const opened = inspect.evaluate(
      ({ openServed }, what) =>
        openServed(what).then(
          () => null,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        ),
      asked,
    );
    const refused = await withoutCrash(page, opened);
    if (refused !== null) throw new Error(refused);
    const answer = (row: string): Promise<string> =>
      withoutCrash(
        page,
        inspect.evaluate(({ answerRow }, text) => answerRow(text), row),
      );
    return { answer, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const withoutCrash = <T>(page: Page, work: Promise<T>): Promise<T> => Promise.race([work, crashOf(page)]);
