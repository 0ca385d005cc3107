/** The vault of the sandbox acquirer: it keeps the script that a published test number stands for, never a number. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { NaturalBatch } from '../natural-batch.ts';
import { AcquirerUnreachable, CardRefused, type Tokenized, type Verified } from './acquirer.ts';
import type { CardInput } from './card.ts';
import { brandOf } from './card-brand.ts';
import { reachSandbox } from './reach-sandbox.ts';
import { verifiedOf } from './sandbox-answers.ts';
import { findCards, keepCards, markCodeChecked, type VaultCard } from './sandbox-vault-store.ts';
import { testCard } from './test-cards.ts';

const CALLS_AT_ONCE = 500;

/** One batch serves all books. */
const EVERYBODY = '';

export interface VaultOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly callTimeoutMs: number;
}

export class SandboxVault {
  readonly #options: VaultOptions;
  readonly #keeps: NaturalBatch<VaultCard, undefined>;
  readonly #cards: NaturalBatch<string, VaultCard | undefined>;

  constructor(options: VaultOptions) {
    const { pool, clock } = options;
    this.#options = options;
    this.#keeps = new NaturalBatch({
      limit: CALLS_AT_ONCE,
      async run(_, cards) {
        await keepCards(pool, cards, clock.now());
        return cards.map(() => undefined);
      },
    });
    this.#cards = new NaturalBatch({
      limit: CALLS_AT_ONCE,
      async run(_, tokens) {
        const found = await findCards(pool, tokens);
        return tokens.map((token) => found.get(token));
      },
    });
  }

  async tokenize(
    card: CardInput,
    { originator, reusable }: { originator: string; reusable: boolean },
  ): Promise<Tokenized> {
    const known = testCard(card.number);
    if (!known) throw new CardRefused('The sandbox takes its published test numbers alone');
    const brand = brandOf(card.number);
    const lastFour = card.number.slice(-4);
    const { expMonth, expYear } = card;
    const kept: VaultCard = {
      token: newToken(),
      originator,
      script: known.script,
      brand,
      lastFour,
      expMonth,
      expYear,
      cvcCheck: card.cvc === null ? null : 'match',
      reusable,
    };
    await this.#reach('tokenize', this.#keeps.add(EVERYBODY, kept));
    return { token: kept.token, card: { brand, lastFour, expMonth, expYear, funding: known.funding, country: 'US' } };
  }

  async withCode(token: string, _cvc: string, { originator }: { originator: string }): Promise<string> {
    const card = await this.#cardOf('withCode', token, originator);
    const coded: VaultCard = { ...card, token: newToken(), cvcCheck: 'match', reusable: false };
    await this.#reach('withCode', this.#keeps.add(EVERYBODY, coded));
    return coded.token;
  }

  async verify(token: string, { originator }: { originator: string }): Promise<Verified> {
    const card = await this.#cardOf('verify', token, originator);
    const verified = verifiedOf(card);
    if (!verified) throw new AcquirerUnreachable('The sandbox acquirer broke off before its answer, as the card asks');
    await this.#reach('verify', markCodeChecked(this.#options.pool, token, 'verification'));
    return verified;
  }

  async cardOf(token: string, { originator }: { originator: string }): Promise<Tokenized['card']> {
    const { reusable, ...card } = await this.#cardOf('cardOf', token, originator);
    if (!reusable) throw new CardRefused('A one-time token is taken from nobody else');
    const { brand, lastFour, expMonth, expYear } = card;
    return { brand, lastFour, expMonth, expYear, funding: 'unknown', country: null };
  }

  /** Undefined where the vault has no such card. */
  find(call: string, token: string): Promise<VaultCard | undefined> {
    return this.#reach(call, this.#cards.add(EVERYBODY, token));
  }

  async #cardOf(call: string, token: string, originator: string): Promise<VaultCard> {
    const card = await this.find(call, token);
    if (card?.originator !== originator) throw new CardRefused('The vault has no such card');
    return card;
  }

  #reach<Answer>(call: string, work: Promise<Answer>): Promise<Answer> {
    return reachSandbox(call, work, this.#options.callTimeoutMs);
  }
}

const newToken = () => `stok_${randomBytes(18).toString('base64url')}`;
