/** Schemas of payees. */
import { z } from 'zod';
import { externalId, freeText, metadata, TEXT_LIMITS } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { savedRequest, savedShown } from '../../destinations/api/destination-schemas.ts';
import { DISABLED_REASONS, PAYEE_TRANSITIONS, type PayeeAction, type PayeeStatus } from '../payee.ts';

export const PAYEE_STATUSES = Object.keys(PAYEE_TRANSITIONS) as [PayeeStatus, ...PayeeStatus[]];

const name = freeText(TEXT_LIMITS.name, 'For people: whom you pay.');

export const createPayee = z
  .strictObject({
    name,
    destination: savedRequest,
    external_id: externalId.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreatePayee' });

export const createPayeeExample = {
  name: 'Salma Haddad',
  destination: { type: 'iban', iban: 'JO94CBJO0010000000000131000302', name: 'Salma Haddad' },
  external_id: 'supplier-7',
};

export const updatePayee = z
  .strictObject({
    name: name.optional(),
    destination: savedRequest.optional(),
    external_id: externalId.optional(),
    metadata: metadata.optional().meta({ description: 'Takes the place of all that was there.' }),
  })
  .meta({ id: 'UpdatePayee' });

export const payee = z
  .object({
    id: shown.id('payee'),
    object: z.literal('payee'),
    livemode: shown.livemode,
    status: shown.oneOf(PAYEE_STATUSES, { description: 'Payouts to a disabled payee are refused.' }),
    disabled_reason: shown.oneOfOrNull(DISABLED_REASONS, {
      description:
        '`requested`: by `/disable`. `failed`, `returned`: a payout failed or came back, since the account is closed or invalid, or the alias is not registered.',
    }),
    name: shown.nameShown,
    destination: savedShown,
    destination_version: shown.count(
      'Counts up with every new name or destination. Payouts keep the one that they were made for.',
    ),
    approved_version: z.number().int().nullable().meta({
      description: 'The latest version to which a payout was approved; a later one counts as new. Null where none was.',
    }),
    external_id: shown.externalIdShown,
    metadata: shown.metadataShown,
    allowed_actions: shown.allowedActions<PayeeAction>('disable', 'enable'),
    request_id: shown.id('request', 'The request that saved it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'Payee', description: 'A saved destination, with a name.' });
