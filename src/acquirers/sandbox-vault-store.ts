/** The cards of the sandbox acquirer's vault: scripts, never numbers. */

import { plainArray, textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Instant } from '../values/clock.ts';
import type { CardBrand } from './card.ts';
import type { CardScript } from './test-cards.ts';

export interface VaultCard {
  readonly token: string;
  readonly originator: string;
  readonly script: CardScript;
  readonly brand: CardBrand;
  readonly lastFour: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvcCheck: 'match' | null;
  readonly reusable: boolean;
}

/** Stores cards, each under a token of its own. One statement for any number. */
export async function keepCards(pool: Pool, cards: readonly VaultCard[], at: Instant): Promise<void> {
  await pool.query(
    `INSERT INTO sandbox_acquirer.cards
       (token, originator, script, brand, last_four, exp_month, exp_year, cvc_check, reusable, created_at)
     SELECT token, originator, script, brand, last_four, exp_month, exp_year, cvc_check, reusable, $10
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::integer[], $8::text[], $9::boolean[])
       AS c (token, originator, script, brand, last_four, exp_month, exp_year, cvc_check, reusable)`,
    [
      textArray(cards.map(({ token }) => token)),
      textArray(cards.map(({ originator }) => originator)),
      textArray(cards.map(({ script }) => script)),
      textArray(cards.map(({ brand }) => brand)),
      textArray(cards.map(({ lastFour }) => lastFour)),
      plainArray(cards.map(({ expMonth }) => expMonth)),
      plainArray(cards.map(({ expYear }) => expYear)),
      textArray(cards.map(({ cvcCheck }) => cvcCheck)),
      plainArray(cards.map(({ reusable }) => reusable)),
      new Date(at),
    ],
  );
}

/** An account verification has checked the code of a reusable card: no authorization checks it again. */
export async function markCodeChecked(pool: Pool, token: string, by: string): Promise<void> {
  await pool.query('UPDATE sandbox_acquirer.cards SET used_by = $2 WHERE token = $1 AND reusable AND used_by IS NULL', [
    token,
    by,
  ]);
}

/** Cards of the vault by token. Unknown ones are absent. Index: cards_pkey. */
export async function findCards(pool: Pool, tokens: readonly string[]): Promise<Map<string, VaultCard>> {
  const { rows } = await pool.query<{
    token: string;
    originator: string;
    script: CardScript;
    brand: CardBrand;
    last_four: string;
    exp_month: number;
    exp_year: number;
    cvc_check: 'match' | null;
    reusable: boolean;
  }>('SELECT * FROM sandbox_acquirer.cards WHERE token = ANY ($1::text[])', [textArray(tokens)]);
  return new Map(
    rows.map((row) => [
      row.token,
      {
        token: row.token,
        originator: row.originator,
        script: row.script,
        brand: row.brand,
        lastFour: row.last_four,
        expMonth: row.exp_month,
        expYear: row.exp_year,
        cvcCheck: row.cvc_check,
        reusable: row.reusable,
      },
    ]),
  );
}
