/** Holds on accounts: placed for a short time, increased, released. The sweeper and the ledger pool expire them. */
import { requestHoldIncrease, requestHoldRelease } from '../../../../src/accounts/holds/change-hold.ts';
import { requestHold } from '../../../../src/accounts/holds/place-hold.ts';
import { carryOut } from '../../../../src/idempotency/use-case.ts';
import type { Instant } from '../../../../src/values/clock.ts';
import type { Uuid } from '../../../../src/values/ids.ts';
import { amountIn, type Clients, type Intent, wishesOf } from '../clients.ts';
import type { Answer, SchedulePart, Wish, WishKind } from '../part.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { addHeld, countDueHolds, faultsOfHolds } from './account-holds-outcome.ts';

export interface Place extends Wish {
  readonly do: 'place hold';
  readonly account: Uuid;
  readonly amount: bigint;
  readonly expiresAt: Instant | null;
}

export interface Increase extends Wish {
  readonly do: 'increase hold';
  readonly account: Uuid;
  readonly hold: Uuid;
  /** The new total. */
  readonly amount: bigint;
}

export interface Release extends Wish {
  readonly do: 'release hold';
  readonly account: Uuid;
  readonly hold: Uuid;
  /** Left out: all that remains. */
  readonly amount?: bigint | undefined;
}

/** From shorter than most pauses of the sweeper to longer than any step of the clock. */
const LIVES_MS = [2_000, 20_000, 60_000, 5 * 60_000, 20 * 60_000];

const place: WishKind<Place> = {
  do: 'place hold',
  weight: 8,
  // A moment that is over by the time of the request.
  endedBy: ['parameter_invalid'],
  draw(clients, random) {
    const account = random.pick(clients.accounts);
    const livesMs = random.chance(0.15) ? null : random.pick(LIVES_MS);
    const expiresAt = livesMs === null ? null : latestOf(clients) + livesMs;
    return { do: 'place hold', account, amount: amountIn(random) / 2n + 1n, expiresAt };
  },
  carryOut(runtime, { key, following, ...asked }, { account: accountId, amount, expiresAt }) {
    const wanted = { accountId, amount, expiresAt, description: null, externalId: null, metadata: {} };
    return carryOut(runtime, requestHold, { ...asked, ...wanted, idempotencyKey: key }, following);
  },
};

const increase: WishKind<Increase> = {
  do: 'increase hold',
  weight: 5,
  draw(clients, random) {
    const placed = onePlaced(clients, random);
    if (!placed) return undefined;
    const most = totals(clients, placed.hold).reduce((most, total) => (total > most ? total : most));
    // Now and then no more than it has.
    const more = random.chance(0.1) ? 0n : amountIn(random) / 8n + 1n;
    return { do: 'increase hold', ...placed, amount: most + more };
  },
  carryOut(runtime, { key, following, ...asked }, { account: accountId, hold: holdId, amount }) {
    const input = { ...asked, accountId, holdId, amount, idempotencyKey: key };
    return carryOut(runtime, requestHoldIncrease, input, following);
  },
};

const release: WishKind<Release> = {
  do: 'release hold',
  weight: 5,
  draw(clients, random) {
    const placed = onePlaced(clients, random);
    if (!placed) return undefined;
    return { do: 'release hold', ...placed, ...(random.chance(0.6) && { amount: amountIn(random) / 3n + 1n }) };
  },
  carryOut(runtime, { key, following, ...asked }, { account: accountId, hold: holdId, amount }) {
    const input = { ...asked, accountId, holdId, amount, idempotencyKey: key };
    return carryOut(runtime, requestHoldRelease, input, following);
  },
};

/** The answer that made the hold, if any did. */
function madeBy({ answers }: Intent): Answer | undefined {
  return answers.find(({ status }) => status === 201);
}

/** A hold that a client knows of, the newest most of all: it is open for a short time. */
function onePlaced(clients: Clients, random: SeededRandom): { account: Uuid; hold: Uuid } | undefined {
  const placed = wishesOf<Place>(clients, 'place hold').filter(madeBy);
  if (placed.length === 0) return undefined;
  const intent = random.chance(0.6) ? placed.at(-1)! : random.pick(placed);
  return { account: intent.wish.account, hold: madeBy(intent)!.resourceId! };
}

/** The totals that the hold was placed with and increased to. */
function totals(clients: Clients, hold: Uuid): bigint[] {
  const placed = wishesOf<Place>(clients, 'place hold').find((intent) => madeBy(intent)?.resourceId === hold)!;
  const increased = wishesOf<Increase>(clients, 'increase hold').filter(
    ({ wish, answers }) => wish.hold === hold && answers.some(({ status }) => status === 200),
  );
  return [placed.wish.amount, ...increased.map(({ wish }) => wish.amount)];
}

/**
 * The book's own time, as far as clients know: a process whose clock is ahead takes it along, and every answer shows it.
 */
function latestOf({ clock, intents }: Clients): Instant {
  const bodies = intents.flatMap(({ answers }) => answers.map(({ body }) => body)).filter((body) => body !== '');
  const shown = bodies.map((body) => Date.parse((JSON.parse(body) as { updated_at?: string }).updated_at ?? ''));
  return Math.max(clock.now(), ...shown.filter((at) => !Number.isNaN(at)));
}

export const accountHoldsPart: SchedulePart = {
  kinds: [place, increase, release],
  countOpen: countDueHolds,
  faultsOf: faultsOfHolds,
  held: addHeld,
};
