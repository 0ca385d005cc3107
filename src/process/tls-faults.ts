/** Errors of a TLS connection that no further attempt mends: the certificate of the server cannot be verified. */
const CERTIFICATE = /CERT|UNABLE_TO_(GET|VERIFY)|ERR_TLS_|SELF_SIGNED/;
/** The driver's own, where the URL asks for TLS and the server lacks it. */
const NO_TLS = /does not support SSL/i;

/** What is wrong with the TLS of a server, in a sentence; undefined where something else is. */
export function tlsFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (NO_TLS.test(error.message)) return 'The server does not speak TLS.';
  if (typeof code !== 'string' || !CERTIFICATE.test(code)) return undefined;
  return `The certificate of the server cannot be verified (${code}).`;
}

export const TLS_REMEDY =
  'Name the authority that signed it: a PEM file in NODE_EXTRA_CA_CERTS, or for Postgres in the URL (sslmode=verify-full&sslrootcert=/path/ca.pem). The host in the URL must be one that the certificate names.';
