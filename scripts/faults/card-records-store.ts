/** SQL of the scenarios of cards: what the sandbox processor has made, and what became of orders. */
import type { Pool } from '../../src/db/pool.ts';
import { parsePublicId } from '../../src/values/ids.ts';

/** Of these cards: how many are issued, how many references of the processor they have, and how many cards and orders it knows by them. */
export async function countMade(
  pool: Pool,
  cards: readonly string[],
): Promise<{ issued: bigint; references: bigint; known: bigint; orders: bigint }> {
  const { rows } = await pool.query<{ issued: bigint; references: bigint; known: bigint; orders: bigint }>(
    `WITH ordered AS (SELECT book_id, id, card_reference FROM cards WHERE id = ANY ($1::uuid[]))
     SELECT count(card_reference) AS issued, count(DISTINCT card_reference) AS references,
       (SELECT count(*) FROM sandbox_processor.cards c JOIN ordered o USING (card_reference)) AS known,
       (SELECT count(*) FROM sandbox_processor.instructions i JOIN card_operations p
          ON i.originator = p.book_id::text AND i.reference = p.reference
        JOIN ordered o ON o.book_id = p.book_id AND o.id = p.card_id WHERE p.kind = 'issue' AND i.status = 'succeeded') AS orders
     FROM ordered`,
    [cards.map((card) => parsePublicId('card', card)!)],
  );
  return rows[0]!;
}

/** All cards that the processor has made, whoever knows of them. */
export async function countOfProcessor(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ count: bigint }>('SELECT count(*) AS count FROM sandbox_processor.cards');
  return rows[0]!.count;
}
