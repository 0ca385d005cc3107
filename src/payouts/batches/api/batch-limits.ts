import { z } from 'zod';
import type { GroupLimits } from '../../../api/group-limits.ts';
import { UPLOAD_LIMITS, UPLOADS_AT_ONCE } from '../../../api/upload.ts';
import { ROW_MAX } from '../../../intake/csv.ts';
import { ITEMS_MAX, PAYING_ACCOUNTS_MAX } from '../batch.ts';

const whole = (description: string) => z.number().int().meta({ description });

export const batchLimits: GroupLimits = {
  name: 'payout_batches',
  schema: z
    .object({
      items: whole('Payouts of one batch.'),
      accounts: whole('Accounts that one batch leaves.'),
      json_bytes: whole('Of a body in JSON.'),
      csv_bytes: whole('Of a body in CSV.'),
      csv_row_bytes: whole('Of one row of it.'),
      uploads_of_book: whole('Uploads of a book under way at once in one process; beyond it 429 with Retry-After.'),
      uploads_of_process: whole('The same of all books together.'),
    })
    .meta({ description: 'Of batches of payouts and their uploads.' }),
  read: () => ({
    items: ITEMS_MAX,
    accounts: PAYING_ACCOUNTS_MAX,
    json_bytes: UPLOAD_LIMITS.json,
    csv_bytes: UPLOAD_LIMITS.csv,
    csv_row_bytes: ROW_MAX,
    uploads_of_book: UPLOADS_AT_ONCE.book,
    uploads_of_process: UPLOADS_AT_ONCE.process,
  }),
};
