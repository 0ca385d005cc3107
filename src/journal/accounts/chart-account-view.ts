/** An account of the chart as the API shows it: of the system, of a customer, or of the organisation's own. */
import type { AccountProfile } from '../../accounts/account/account-profile.ts';
import { type Account, available, held, posted } from '../../ledger/account/account.ts';
import { type AccountType, originOf, SYSTEM_ACCOUNTS } from '../../ledger/account/chart-names.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { OwnAccount } from './own-account.ts';

/** An account with its own row or the profile of its customer. System accounts have neither. */
export interface ChartAccount {
  readonly account: Account;
  readonly own?: OwnAccount | undefined;
  readonly customer?: AccountProfile | undefined;
}

export function chartAccountView(
  { account, own, customer }: ChartAccount,
  { livemode }: { readonly livemode: boolean },
) {
  const origin = originOf(account.code);
  const described = own ?? customer;
  const isOpen = account.status !== 'closed';
  return {
    id: publicId('account', account.id),
    object: 'chart_account',
    livemode,
    code: own?.code ?? account.code,
    ...describedBy({ account, own, customer }),
    normal_side: account.side,
    currency: account.currency,
    currency_exponent: currencyExponent(account.currency),
    origin,
    party: null,
    manual_posting: isOpen && origin !== 'system',
    floor: account.floor,
    status: isOpen ? 'open' : 'archived',
    balance: { posted: posted(account), held: held(account), available: available(account) },
    external_id: described?.externalId ?? null,
    metadata: described === undefined ? {} : described.metadata,
    allowed_actions: [],
    version: described?.version ?? 1,
    created_at: described === undefined ? null : formatInstant(described.createdAt),
    updated_at: described === undefined ? null : formatInstant(described.updatedAt),
  };
}

function describedBy({ account, own, customer }: ChartAccount): { name: string | null; type: AccountType } {
  if (own) return { name: own.name, type: own.type };
  if (account.code === 'customer' || account.code === 'own') return { name: customer?.name ?? null, type: 'liability' };
  return SYSTEM_ACCOUNTS[account.code];
}
