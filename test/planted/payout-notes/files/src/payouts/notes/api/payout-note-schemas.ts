/** Schemas of notes on payouts. */
import { z } from 'zod';
import { freeText } from '../../../api/schemas/fields.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { PAYOUT_NOTE_TRANSITIONS, type PayoutNoteAction, type PayoutNoteStatus } from '../payout-note.ts';

const STATUSES = Object.keys(PAYOUT_NOTE_TRANSITIONS) as readonly PayoutNoteStatus[];

export const createPayoutNote = z.strictObject({ text: freeText(500, 'For people.') }).meta({ id: 'CreatePayoutNote' });

export const payoutNote = z
  .object({
    id: shown.id('payoutNote'),
    object: z.literal('payout_note'),
    livemode: shown.livemode,
    status: shown.oneOf(STATUSES, { description: '`withdrawn` once it was taken back.' }),
    payout: shown.id('payout', 'The payout that it is about.'),
    text: z.string().nullable().meta({ description: 'For people. Null once it was erased.' }),
    allowed_actions: shown.allowedActions<PayoutNoteAction>('withdraw'),
    request_id: shown.id('request', 'The request that wrote it.'),
    version: shown.version,
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
  })
  .meta({ id: 'PayoutNote', description: 'What people tell each other about a payout.' });
