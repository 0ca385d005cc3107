/** The environment of a product process in tests, without the limits that protect it from the outside. */
export function testEnvironment(
  database: { applicationUrl: string; encryptionKey: string },
  redis: { url: string } | undefined,
  further: Record<string, string> = {},
): Record<string, string> {
  return {
    DATABASE_URL: database.applicationUrl,
    REDIS_URL: redis?.url ?? '',
    COUNTINGHOUSE_ENCRYPTION_KEY: database.encryptionKey,
    // The throwaway Postgres of tests is not durable.
    DATABASE_ASSUME_DURABLE: 'true',
    PORT: '0',
    LOG_LEVEL: 'silent',
    SWEEP_INTERVAL_MS: '500',
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1:*',
    RATE_LIMIT_WRITES_PER_SECOND: '100000',
    RATE_LIMIT_READS_PER_SECOND: '100000',
    ...further,
  };
}
