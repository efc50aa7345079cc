/** Files that are served beside the page. */

export const address = (path: string): string =>
  new URL(`${import.meta.env.BASE_URL}${path}`, document.baseURI).href;

const ahead = new Map<string, Promise<Response>>();

/** Asks for files before the code that reads them has arrived. */
export function fetchAhead(paths: readonly string[]): void {
  for (const path of paths) {
    const response = fetch(address(path));
    // Whoever takes the answer says what went wrong.
    response.catch(() => undefined);
    ahead.set(address(path), response);
  }
}

/** The answer that was asked for ahead; undefined where it was not, or somebody has it already. */
export function answerAhead(url: string): Promise<Response> | undefined {
  const response = ahead.get(url);
  ahead.delete(url);
  return response;
}
