/** A certificate of this machine for tests of TLS, made by openssl. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export interface TestCertificate {
  /** PEM files; the certificate is its own issuer. */
  readonly cert: string;
  readonly key: string;
}

/** Makes a certificate in `folder` for localhost and 127.0.0.1; null if this machine has no openssl. */
export function testCertificate(folder: string): TestCertificate | null {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
  const { status } = spawnSync(
    'openssl',
    [
      ...words.split(' '),
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  );
  return status === 0 ? { cert, key } : null;
}
