import type { APIResponse, Route } from 'playwright';

/**
 * The server's answer to a request, which a test then changes. A server may close an idle connection in the moment in which it is used
 * again; the request is then repeated, as browsers do.
 */
export const fetchedAnswer = (route: Route): Promise<APIResponse> => route.fetch({ maxRetries: 2 });
