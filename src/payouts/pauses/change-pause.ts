/** What an operator does: pause and resume. Every process obeys within two seconds (recent-pauses.ts). */
import type { Pool } from '../../db/pool.ts';
import { findBookId, findOrganisationOfBook, findOrganisationsByName } from '../../organisations/organisation-store.ts';
import type { Instant } from '../../values/clock.ts';
import { parsePublicId, publicId, type Uuid } from '../../values/ids.ts';
import type { Paused, PauseInForce, PauseScope } from './pause.ts';
import { deletePause, insertPause, readPauses, releasePaused } from './pause-store.ts';

/** A name of what is to be paused, as an operator gives it. Throws Error with what to do about one that does not exist. */
export async function pausedOf(pool: Pool, scope: PauseScope, given: string | undefined): Promise<Paused> {
  if (scope === 'all') {
    if (given !== undefined) throw new Error('`all` takes no name: it is every payout of the installation.');
    return { scope, name: '' };
  }
  if (given === undefined) throw new Error(`Name the ${scope}.`);
  if (scope === 'organisation') return { scope, name: await organisationOf(pool, given) };
  if (scope === 'book') return { scope, name: await bookOf(pool, given) };
  if (!RAIL.test(given))
    throw new Error(`${given} is no name of a rail. Payouts show theirs as \`rail\`; \`book\` is within a book.`);
  return { scope, name: given };
}

/**
 * Throws Error where no such rail is known: its pause would keep nothing back, while the rail that was meant goes on. What is resumed may be
 * gone meanwhile.
 */
export function requireRail({ scope, name }: Paused, known: readonly string[]): void {
  if (scope !== 'rail' || known.includes(name)) return;
  throw new Error(
    `There is no rail ${name}. Known here: ${known.join(', ')}; RAILS_FILE and RAIL_HTTP_NAME name others.`,
  );
}

const RAIL = /^[a-z][a-z0-9_]{0,63}$/;

async function organisationOf(pool: Pool, given: string): Promise<Uuid> {
  const id = parsePublicId('organisation', given);
  if (id !== undefined && (await findBookId(pool, id, 'test')) !== undefined) return id;
  const found = id === undefined ? await findOrganisationsByName(pool, given) : [];
  if (found.length === 1) return found[0]!.id;
  if (found.length === 0) throw new Error(`There is no organisation ${given}.`);
  const ids = found.map((one) => publicId('organisation', one.id)).join(', ');
  throw new Error(`There are several organisations ${given}: name it by its id, ${ids}.`);
}

async function bookOf(pool: Pool, given: string): Promise<Uuid> {
  const id = parsePublicId('book', given);
  if (id !== undefined && (await findOrganisationOfBook(pool, id)) !== undefined) return id;
  throw new Error(`There is no book ${given}. \`npm run ops -- books list\` shows them.`);
}

/** False where it is paused already. */
export function pause(pool: Pool, paused: Paused, by: { pausedBy: string; now: Instant }): Promise<boolean> {
  return insertPause(pool, { ...paused, pausedBy: by.pausedBy, pausedAt: by.now });
}

const PAGE = 1_000;

/** Ends the pause, and makes what it kept back due at once. Undefined where it was not paused. */
export async function resume(pool: Pool, paused: Paused, now: Instant): Promise<number | undefined> {
  const inForce = (await readPauses(pool)).find(({ scope, name }) => scope === paused.scope && name === paused.name);
  if (inForce === undefined || !(await deletePause(pool, paused))) return undefined;
  let released = 0;
  for (;;) {
    const page = await releasePaused(pool, { ...keptBackBy(inForce), now, limit: PAGE });
    released += page;
    if (page < PAGE) return released;
  }
}

function keptBackBy({ scope, name, bookIds }: PauseInForce) {
  return {
    rail: scope === 'rail' ? name : null,
    bookIds: scope === 'book' || scope === 'organisation' ? bookIds : null,
  };
}
