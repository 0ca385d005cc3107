import type { Queryable } from '../../db/pool.ts';
import type { RailSettings } from './rail-settings.ts';

/** Keeps what a digest stands for, once, before a payout names it. Index: rail_settings_pkey. */
export async function keepRailSettings(db: Queryable, { digest, content }: RailSettings): Promise<void> {
  if (digest === null) return;
  await db.query(
    `INSERT INTO rail_settings (digest, content, first_read_at)
     VALUES (decode($1, 'hex'), $2, clock_timestamp()) ON CONFLICT (digest) DO NOTHING`,
    [digest, content],
  );
}
