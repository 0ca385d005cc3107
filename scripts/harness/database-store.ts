/** What faults and tests ask of a database of the product: reads past the product, and updates that shorten waits. */
import { createPool, type Pool } from '../../src/db/pool.ts';
import { GROUPS } from '../../src/groups.ts';
import { createLogger } from '../../src/process/log.ts';

/** Opens a pool with every right, to read past the product. */
export function lookInto(database: { superuserUrl: string }): Pool {
  return createPool({ url: database.superuserUrl, name: 'test', size: 6, log: createLogger('silent', 'test') });
}

const MOVED = GROUPS.flatMap(({ moved }) => moved);

/** Rows that wait for each day of their book and never end: a day does not end by half a minute. */
const WITHOUT_END: readonly string[] = ['fee_day'];

/** Rows that failed keep the time of their next attempt. */
const NOT_BEFORE: Readonly<Record<string, string>> = { webhook_deliveries: 'retry_at' };

/**
 * Makes waiting rows due now, as they would be by themselves after half a minute: rows whose job was lost, or whose
 * worker died. Takes most rows, at random: a job is named after all its rows, and the name of a dead worker's active
 * job stays taken for half a minute.
 */
export async function makeRowsDue(pool: Pool): Promise<void> {
  // Locked rows are being moved right now: a wait for them could become a deadlock with a commit.
  const statements = MOVED.filter(({ kind }) => !WITHOUT_END.includes(kind)).map(({ table: { name } }) => {
    const due = name in NOT_BEFORE ? `greatest(now(), ${NOT_BEFORE[name]})` : 'now()';
    return `UPDATE ${name} SET due_at = ${due} WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM ${name} WHERE due_at > ${due} AND stuck_at IS NULL AND random() < 0.7 FOR NO KEY UPDATE SKIP LOCKED))`;
  });
  await pool.query(`${statements.join(';\n')};
    UPDATE webhook_endpoints AS w SET due_at = w.retry_at FROM (
      SELECT book_id, id FROM webhook_endpoints WHERE due_at > retry_at AND random() < 0.7 FOR NO KEY UPDATE SKIP LOCKED
    ) AS free WHERE w.book_id = free.book_id AND w.id = free.id`);
}

/**
 * Ends the leases of backlogs, as they end by themselves within 45 seconds of a worker's death. Only while no process
 * that delivers webhooks is alive: a living one's lease must not be ended.
 */
export async function expireLeases(pool: Pool): Promise<void> {
  await pool.query(`UPDATE webhook_endpoints SET due_at = now(), retry_at = now()
    WHERE due_at IS NOT NULL AND retry_at > now() AND retry_attempts = 0`);
}

/**
 * Makes the next attempt of every delivery due now: the receiver answers again, so the test need not wait. Rows without
 * a due time stay without one, since no worker would move them.
 */
export async function hurryDeliveries(pool: Pool): Promise<void> {
  await pool.query(`
    UPDATE webhook_deliveries AS d SET due_at = now(), retry_at = now() FROM (
      SELECT book_id, endpoint_id, event_sequence FROM webhook_deliveries
      WHERE status = 'pending' AND stuck_at IS NULL AND retry_at > now() AND due_at IS NOT NULL FOR NO KEY UPDATE SKIP LOCKED
    ) AS free
    WHERE d.book_id = free.book_id AND d.endpoint_id = free.endpoint_id AND d.event_sequence = free.event_sequence;
    UPDATE webhook_endpoints AS w SET due_at = now(), retry_at = now() FROM (
      SELECT book_id, id FROM webhook_endpoints
      WHERE retry_at > now() AND retry_attempts > 0 AND due_at IS NOT NULL FOR NO KEY UPDATE SKIP LOCKED
    ) AS free WHERE w.book_id = free.book_id AND w.id = free.id`);
}

/**
 * A purchase of any status may wait for its expiry, and has ended without one. A reconciliation that is completed is under way again while
 * statements of it are taken up: it is due then.
 */
const WAITS_UNTIL: Readonly<Record<string, string>> = {
  transaction: 'expires_at',
  reconciliation: "CASE status WHEN 'completed' THEN due_at ELSE created_at END",
};

/** Counts rows that have not ended, by kind, with open notices of rail and acquirer, and rows that are stuck. */
export async function countUnderWay(pool: Pool): Promise<Record<string, bigint>> {
  const counts = MOVED.flatMap(({ kind, table: { name }, open }) => [
    `SELECT '${kind}' AS kind, count(*) AS rows FROM ${name} WHERE ${WITHOUT_END.includes(kind) ? 'false' : underWay({ kind, open })}`,
    `SELECT 'stuck ${kind}', count(*) FROM ${name} WHERE stuck_at IS NOT NULL`,
  ]);
  const { rows } = await pool.query<{ kind: string; rows: bigint }>(
    `${counts.join(' UNION ALL ')}
      UNION ALL SELECT 'unread notice', count(*) FROM sandbox_rail.notices WHERE acknowledged_at IS NULL
      UNION ALL SELECT 'unread notice of an acquirer', count(*) FROM sandbox_acquirer.notices WHERE acknowledged_at IS NULL`,
  );
  return Object.fromEntries(rows.map((row) => [row.kind, row.rows]));
}

function underWay({ kind, open }: { kind: string; open: readonly string[] }): string {
  const waits = WAITS_UNTIL[kind];
  return `status IN (${quoted(open)})${waits === undefined ? '' : ` AND ${waits} IS NOT NULL`}`;
}

function quoted(states: readonly string[]): string {
  return states.map((state) => `'${state}'`).join(', ');
}

export async function payoutIds(pool: Pool, bookId: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM payouts WHERE book_id = $1 ORDER BY id', [bookId]);
  return rows.map(({ id }) => id);
}

/** Reads the ids of an organisation's books, by mode. */
export async function readBookIds(pool: Pool, organisation: string): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ mode: string; id: string }>(
    'SELECT mode, books.id FROM books JOIN organisations ON organisations.id = organisation_id WHERE name = $1',
    [organisation],
  );
  return Object.fromEntries(rows.map(({ mode, id }) => [mode, id]));
}

export async function countCheckpoints(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ count: bigint }>('SELECT count(*) AS count FROM checkpoints');
  return rows[0]!.count;
}

/** Counts rows that were written before a moment and have not ended. */
export async function countUnderWayBefore(pool: Pool, before: Date): Promise<bigint> {
  const counts = MOVED.map(
    ({ kind, table: { name }, open }) =>
      `(SELECT count(*) FROM ${name} WHERE ${underWay({ kind, open })} AND created_at < $1)`,
  );
  const { rows } = await pool.query<{ count: bigint }>(
    `SELECT ${counts.join(' + ')}
      + (SELECT count(*) FROM sandbox_rail.notices WHERE acknowledged_at IS NULL AND created_at < $1) AS count`,
    [before],
  );
  return rows[0]!.count;
}

/** Counts deliveries of an endpoint that failed and wait for their next attempt. */
export async function countWaiting(pool: Pool, endpointId: string): Promise<bigint> {
  const { rows } = await pool.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'pending' AND attempts > 0`,
    [endpointId],
  );
  return rows[0]!.count;
}

/** Reads exceptions about payouts: reports of a rail that cannot be booked without a person. */
export async function readExceptions(pool: Pool): Promise<{ kind: string; payoutId: string }[]> {
  const { rows } = await pool.query<{ kind: string; payoutId: string }>(
    `SELECT kind, resource_id AS "payoutId" FROM exceptions WHERE resource = 'payout'`,
  );
  return rows;
}

/** Names are our own, so they are not quoted. */
export async function copyDatabase(pool: Pool, of: { name: string; template: string; owner: string }): Promise<void> {
  await pool.query(`CREATE DATABASE ${of.name} OWNER ${of.owner} TEMPLATE ${of.template}`);
}

export async function dropDatabase(pool: Pool, name: string): Promise<void> {
  await pool.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** The counterpart of FLUSHALL in Redis. */
export async function dropJobs(pool: Pool): Promise<void> {
  await pool.query('DELETE FROM bullmq.job');
}

/** Reads the ids of the newest deliveries as jobs carry them: `<event sequence>:<endpoint>`. */
export async function readDeliveryIds(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT event_sequence || ':' || endpoint_id AS id FROM webhook_deliveries ORDER BY event_sequence DESC LIMIT 300`,
  );
  return rows.map(({ id }) => id);
}

/** Reads payouts that are reserved and unknown to the rail. A worker may be about to send some of them. */
export async function leftToSubmit(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`
    SELECT p.id FROM payouts p WHERE p.status = 'processing' AND p.rail = 'sandbox' AND NOT EXISTS (
      SELECT FROM sandbox_rail.instructions i WHERE i.originator = p.book_id::text AND i.end_to_end_id = p.end_to_end_id)`);
  return rows.map(({ id }) => id);
}

export async function stillProcessing(pool: Pool, ids: readonly string[]): Promise<boolean> {
  const { rows } = await pool.query(`SELECT FROM payouts WHERE id = ANY ($1) AND status = 'processing' LIMIT 1`, [ids]);
  return rows.length > 0;
}

/** Whether any of these payouts was sent to the rail more than once. */
export async function arrivedTwice(pool: Pool, ids: readonly string[]): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT FROM payouts p JOIN sandbox_rail.instructions i
       ON i.originator = p.book_id::text AND i.end_to_end_id = p.end_to_end_id
     WHERE p.id = ANY ($1) AND i.submissions > 1 LIMIT 1`,
    [ids],
  );
  return rows.length > 0;
}

/** Counts the attempts of an endpoint by how they ended: HTTP status or error. */
export async function countAttempts(pool: Pool, endpointId: string): Promise<Map<string, bigint>> {
  const { rows } = await pool.query<{ ended: string; count: bigint }>(
    `SELECT coalesce(error, status::text) AS ended, count(*) AS count FROM webhook_attempts WHERE endpoint_id = $1 GROUP BY 1`,
    [endpointId],
  );
  return new Map(rows.map(({ ended, count }) => [ended, count]));
}

/** Length in bytes of the longest stored response of an endpoint. */
export async function longestAnswerBytes(pool: Pool, endpointId: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    'SELECT coalesce(max(octet_length(response)), 0) AS bytes FROM webhook_attempts WHERE endpoint_id = $1',
    [endpointId],
  );
  return rows[0]!.bytes;
}

/** 4 MB: a statement reads no more, however large a table has grown, so that none runs into the timeout of its pool. */
const BLOCKS_AT_ONCE = 500;

/** Finds the tables with a row that contains one of these texts in any column. Bytes appear as hexadecimal digits. */
export async function tablesContaining(pool: Pool, texts: readonly string[]): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string; blocks: number }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name,
       (pg_relation_size(c.oid) / current_setting('block_size')::integer)::integer AS blocks
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const pattern = new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'));
  const found: string[] = [];
  for (const table of tables) if (await tableContains(pool, { ...table, pattern })) found.push(table.name);
  return found;
}

/** Rows are read and searched here: 0.5 s for 23 MB and 42 texts. Tried and slower: one pattern of them in Postgres, 22 s. */
async function tableContains(
  pool: Pool,
  { name, blocks, pattern }: { name: string; blocks: number; pattern: RegExp },
): Promise<boolean> {
  const text = `SELECT row_to_json(one)::text AS row FROM ${name} AS one WHERE ctid >= $1::tid AND ctid < $2::tid`;
  for (let from = 0; from < blocks; from += BLOCKS_AT_ONCE) {
    const range = [`(${from},0)`, `(${from + BLOCKS_AT_ONCE},0)`];
    const { rows } = await pool.query<{ row: string }>(text, range);
    if (rows.some(({ row }) => pattern.test(row))) return true;
  }
  return false;
}

/** Counts the pending deliveries of an endpoint, and reports whether the endpoint itself is due. */
export async function countPending(pool: Pool, endpointId: string): Promise<{ pending: number; behind: boolean }> {
  const { rows } = await pool.query<{ pending: bigint; behind: boolean }>(
    `SELECT (SELECT count(*) FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'pending') AS pending,
       due_at IS NOT NULL AS behind FROM webhook_endpoints WHERE id = $1`,
    [endpointId],
  );
  return { pending: Number(rows[0]!.pending), behind: rows[0]!.behind };
}

/** Runs the copy of a running server's files within its backup interface. Resolves to what a standby of the copy needs. */
export async function whileBackedUp(pool: Pool, copy: () => void): Promise<{ maxConnections: string; label: string }> {
  const session = await pool.connect();
  try {
    const { rows } = await session.query("SELECT current_setting('max_connections') AS max");
    await session.query("SELECT pg_backup_start('standby', true)");
    copy();
    const { rows: ends } = await session.query('SELECT labelfile FROM pg_backup_stop(false)');
    return { maxConnections: rows[0].max, label: ends[0].labelfile };
  } finally {
    session.release();
  }
}
