/** Addresses of NATS servers, as people write them: `nats://TOKEN@host:4222`, `tls://…`, or `ws://…` and `wss://…` for pages. */

export interface ServerAddress {
  /** The address without the token, fit for a log. */
  readonly url: string;
  /** The token; null if the server asks for none. */
  readonly token: string | null;
  /** True if the server is reached by WebSocket, as pages must. */
  readonly webSocket: boolean;
}

const PORTS: Readonly<Record<string, number>> = { 'nats:': 4222, 'tls:': 4222, 'ws:': 80, 'wss:': 443 };

/** Reads an address. @throws Error with a right example if the text is no such address; the token is not repeated. */
export function parseServerAddress(text: string): ServerAddress {
  // URL parses hosts only of schemes that it knows.
  const [, scheme = '', rest = ''] = /^([a-z]+:)\/\/(.+)$/i.exec(text.trim()) ?? [];
  const protocol = scheme.toLowerCase();
  const readable = PORTS[protocol] !== undefined && URL.canParse(`http://${rest}`);
  const url = readable ? new URL(`http://${rest}`) : null;
  const webSocket = protocol.startsWith('ws');
  const token = url && decoded(url.password === '' ? url.username : url.password);
  if (url === null || token === null || url.hostname === '' || (!webSocket && url.pathname !== '/'))
    throw new Error(
      'The address of the server is not one: write nats://TOKEN@host:4222, or for a page ws://TOKEN@host:8080 (wss:// where the server has TLS).',
    );
  // URL leaves out the port that it would take anyway.
  const usual = /:80(\/|$)/.test(rest) ? 80 : PORTS[protocol];
  const port = url.port === '' ? String(usual) : url.port;
  return {
    // A proxy in front of a WebSocket may use the path to choose the server.
    url: `${protocol}//${url.hostname}:${port}${url.pathname === '/' ? '' : url.pathname}`,
    token: token === '' ? null : token,
    webSocket,
  };
}

/** Decodes percent signs; null if one of them comes before bytes that are no UTF-8. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export function addressWithToken({ url, token }: Pick<ServerAddress, 'url' | 'token'>): string {
  return token === null ? url : url.replace('//', `//${encodeURIComponent(token)}@`);
}
