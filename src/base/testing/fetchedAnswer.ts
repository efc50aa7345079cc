import type { APIResponse, Route } from 'playwright';

/**
 * What the server answers to a request that is changed on its way. A server may close an idle connection in the moment in which it is used again, and whoever asked
 * asks once more then, as browsers do.
 */
export const fetchedAnswer = (route: Route): Promise<APIResponse> => route.fetch({ maxRetries: 2 });
