/** The schema of a database, as far as a migration decides it: what two databases are compared by. */
import type pg from 'pg';

const SCHEMAS = "('public', 'sandbox_rail', 'sandbox_acquirer', 'sandbox_bank', 'sandbox_processor')";
const PARTS: Readonly<Record<string, string>> = {
  columns: `SELECT format('%s.%s.%s %s %s %s', table_schema, table_name, column_name, data_type,
      CASE is_nullable WHEN 'NO' THEN 'NOT NULL' ELSE '' END, column_default || identity_generation) AS part
    FROM information_schema.columns WHERE table_schema IN ${SCHEMAS}`,
  constraints: `SELECT format('%s %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated) AS part
    FROM pg_constraint WHERE connamespace::regnamespace::text IN ${SCHEMAS}`,
  indexes: `SELECT indexdef AS part FROM pg_indexes WHERE schemaname IN ${SCHEMAS}`,
  options: `SELECT format('%s %s', oid::regclass, reloptions) AS part FROM pg_class
    WHERE relnamespace::regnamespace::text IN ${SCHEMAS} AND reloptions IS NOT NULL`,
  triggers: `SELECT pg_get_triggerdef(oid) AS part FROM pg_trigger WHERE NOT tgisinternal`,
  functions: `SELECT pg_get_functiondef(oid) AS part FROM pg_proc WHERE pronamespace::regnamespace::text IN ${SCHEMAS}`,
};

export async function schemaOf(client: pg.Client): Promise<Record<string, string[]>> {
  const parts: Record<string, string[]> = {};
  for (const [name, sql] of Object.entries(PARTS)) {
    const { rows } = await client.query<{ part: string }>(sql);
    parts[name] = rows.map(({ part }) => part).sort();
  }
  return parts;
}
