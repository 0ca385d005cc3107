/** The embedded Postgres cannot do what was asked. The message names the problem and the remedy. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';

  constructor(problem: string, remedy: string, options?: ErrorOptions) {
    super(`${problem}\n${remedy}`, options);
  }
}
