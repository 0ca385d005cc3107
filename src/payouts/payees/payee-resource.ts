import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { destinationView } from '../destinations/destinations.ts';
import { allowedOnPayee, PAYEE_TRANSITIONS, type Payee } from './payee.ts';
import { payees } from './payee-table.ts';

export const payeeResource: Resource<Payee, Shown> = {
  name: 'payee',
  table: payees,
  parent: null,
  events: ['payee.created', 'payee.updated', 'payee.disabled', 'payee.enabled'],
  books: false,
  changed: (payee, change) => ({ ...payee, ...change }),
  transitions: PAYEE_TRANSITIONS,
  allowedActions: allowedOnPayee,
  unlistedActions: ['update'],
  view: (payee, { livemode }) => payeeView(payee, livemode),
};

function payeeView(payee: Payee, livemode: boolean) {
  const { id, name, metadata, textSalt } = payee;
  const owner = textSalt && { object: 'payee' as const, objectId: id, salt: textSalt };
  return {
    id: publicId('payee', id),
    object: 'payee',
    livemode,
    status: payee.status,
    disabled_reason: payee.disabledReason,
    name: owner ? personal(owner, 'name', name) : name,
    destination: destinationView(payee.destination),
    destination_version: payee.destinationVersion,
    approved_version: payee.approvedVersion,
    external_id: payee.externalId,
    metadata: owner ? personal(owner, 'metadata', metadata) : metadata,
    allowed_actions: allowedOnPayee(payee),
    request_id: publicId('request', payee.requestId),
    version: payee.version,
    created_at: formatInstant(payee.createdAt),
    updated_at: formatInstant(payee.updatedAt),
  };
}
