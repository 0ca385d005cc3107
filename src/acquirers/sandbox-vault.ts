/** The vault of the sandbox acquirer: it stores the script of a published test number, never a number. */
import { randomBytes } from 'node:crypto';
import type { Pool } from '../db/pool.ts';
import { NaturalBatch } from '../fairness/natural-batch.ts';
import type { SandboxStatements } from '../outside/sandboxes/sandbox-statements.ts';
import type { Clock } from '../values/clock.ts';
import { AcquirerUnreachable, CardRefused, type Tokenized, type Verified } from './acquirer.ts';
import type { CardInput } from './card.ts';
import { brandOf } from './card-brand.ts';
import { verifiedOf } from './sandbox-answers.ts';
import { findCards, keepCards, markCodeChecked, type VaultCard } from './sandbox-vault-store.ts';
import { testCard } from './test-cards.ts';

const CALLS_AT_ONCE = 500;

/** One batch serves all books. */
const ALL_BOOKS = '';

export interface VaultOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly statements: SandboxStatements;
}

export class SandboxVault {
  readonly #options: VaultOptions;
  readonly #keeps: NaturalBatch<VaultCard, undefined>;
  readonly #cards: NaturalBatch<string, VaultCard | undefined>;

  constructor(options: VaultOptions) {
    const { pool, clock, statements } = options;
    this.#options = options;
    this.#keeps = new NaturalBatch({
      limit: CALLS_AT_ONCE,
      async run(_, cards) {
        await statements.ofBatch('tokenize', () => keepCards(pool, cards, clock.now()));
        return cards.map(() => undefined);
      },
    });
    this.#cards = new NaturalBatch({
      limit: CALLS_AT_ONCE,
      async run(_, tokens) {
        const found = await statements.ofBatch('cards', () => findCards(pool, tokens));
        return tokens.map((token) => found.get(token));
      },
    });
  }

  /** All is known of a published test number. Throws CardRefused for any other. */
  showing({ number, expMonth, expYear }: CardInput): Tokenized['card'] {
    const known = testCard(number);
    if (!known) throw new CardRefused('The sandbox takes its published test numbers alone');
    const lastFour = number.slice(-4);
    return { brand: brandOf(number), lastFour, expMonth, expYear, funding: known.funding, country: 'US' };
  }

  async tokenize(
    card: CardInput,
    { originator, reusable }: { originator: string; reusable: boolean },
  ): Promise<Tokenized> {
    const shown = this.showing(card);
    const { brand, lastFour, expMonth, expYear } = shown;
    const kept: VaultCard = {
      token: newToken(),
      originator,
      script: testCard(card.number)!.script,
      brand,
      lastFour,
      expMonth,
      expYear,
      cvcCheck: card.cvc === null ? null : 'match',
      reusable,
    };
    await this.#keeps.add(ALL_BOOKS, kept);
    return { token: kept.token, card: shown };
  }

  async withCode(token: string, _cvc: string, { originator }: { originator: string }): Promise<string> {
    const card = await this.#cardOf(token, originator);
    const coded: VaultCard = { ...card, token: newToken(), cvcCheck: 'match', reusable: false };
    await this.#keeps.add(ALL_BOOKS, coded);
    return coded.token;
  }

  async verify(token: string, { originator }: { originator: string }): Promise<Verified> {
    const card = await this.#cardOf(token, originator);
    const verified = verifiedOf(card);
    if (!verified) throw new AcquirerUnreachable('The sandbox acquirer broke off before its answer, as the card asks');
    const { pool, statements } = this.#options;
    await statements.ofBook(originator, 'verify', () => markCodeChecked(pool, token, 'verification'));
    return verified;
  }

  async cardOf(token: string, { originator }: { originator: string }): Promise<Tokenized['card']> {
    const { reusable, ...card } = await this.#cardOf(token, originator);
    if (!reusable) throw new CardRefused('A one-time token is taken from nobody else');
    const { brand, lastFour, expMonth, expYear } = card;
    return { brand, lastFour, expMonth, expYear, funding: 'unknown', country: null };
  }

  /** Undefined for an unknown token. */
  find(token: string): Promise<VaultCard | undefined> {
    return this.#cards.add(ALL_BOOKS, token);
  }

  async #cardOf(token: string, originator: string): Promise<VaultCard> {
    const card = await this.find(token);
    if (card?.originator !== originator) throw new CardRefused('The vault has no such card');
    return card;
  }
}

const newToken = () => `stok_${randomBytes(18).toString('base64url')}`;
