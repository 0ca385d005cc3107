import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { parseActor, viewOfActor } from '../../values/actor.ts';
import { formatInstant, formatInstantOrNull } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { allowedActions, type BankAccountRules, RULES_VERSION_TRANSITIONS } from './bank-account-rules.ts';
import { bankAccountRules } from './bank-account-rules-table.ts';

/** What activates a version is an event of its bank account. */
export const bankAccountRulesResource: Resource<BankAccountRules, Shown> = {
  name: 'bank_account_rules',
  phrase: 'version of matching rules',
  noun: 'version',
  table: bankAccountRules,
  parent: { name: 'bank_account', column: 'bank_account_id' },
  events: [],
  books: false,
  changed: (rules, change) => ({ ...rules, ...change }),
  transitions: RULES_VERSION_TRANSITIONS,
  allowedActions,
  view: (rules, { livemode }) => ({
    id: publicId('bankAccountRules', rules.id),
    object: 'bank_account_rules',
    livemode,
    status: rules.status,
    bank_account: publicId('bankAccount', rules.bankAccountId),
    number: rules.number,
    tolerances: rules.tolerances.map(({ party, amount, to }) => ({ party, amount: BigInt(amount), to })),
    bookings: rules.bookings.map(({ name, direction, code, text, counterparty, amountMax, to }) => ({
      ...{ name, when: { direction, code, text, counterparty } },
      ...{ amount_lte: BigInt(amountMax), to },
    })),
    drafted_by: actorView(rules.draftedBy),
    activated_by: rules.activatedBy === null ? null : actorView(rules.activatedBy),
    activated_at: formatInstantOrNull(rules.activatedAt),
    retired_at: formatInstantOrNull(rules.retiredAt),
    allowed_actions: allowedActions(rules),
    request_id: publicId('request', rules.requestId),
    version: rules.version,
    created_at: formatInstant(rules.createdAt),
    updated_at: formatInstant(rules.updatedAt),
  }),
};

function actorView(actor: string) {
  return viewOfActor(parseActor(actor), NO_OWNERS);
}

const NO_OWNERS = new Map<string, never>();
