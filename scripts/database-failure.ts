/** Explains to a person why a database could not be read. Where several addresses were tried, gives the reason of each. */
export function databaseFailure(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(databaseFailure).join('; ');
  const { code, message } = error as { code?: string; message: string };
  if (code === '42P01') return `${message}. Has the database been migrated (npm run migrate)?`;
  if (code === '42501') return `${message}. Use the application's role, or one that may read every table.`;
  return message;
}
