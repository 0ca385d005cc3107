/** The embedded Postgres cannot do what was asked: what is wrong, and what a person can do about it. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';

  constructor(problem: string, remedy: string, options?: ErrorOptions) {
    super(`${problem}\n${remedy}`, options);
  }
}
