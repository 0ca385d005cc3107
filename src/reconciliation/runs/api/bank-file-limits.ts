import { z } from 'zod';
import type { GroupLimits } from '../../../api/group-limits.ts';
import { UPLOAD_LIMITS } from '../../../api/upload.ts';
import { LINES_MAX, STATEMENTS_MAX } from '../first-reading.ts';

const whole = (description: string) => z.number().int().meta({ description });

export const bankFileLimits: GroupLimits = {
  name: 'bank_files',
  schema: z
    .object({
      bytes: whole('Of a file that is posted. Uploads at once are those of `payout_batches`, together.'),
      statements: whole('Of one file.'),
      lines: whole('Of one statement.'),
    })
    .meta({ description: 'Of files of banks.' }),
  read: () => ({ bytes: UPLOAD_LIMITS.bank_file, statements: STATEMENTS_MAX, lines: LINES_MAX }),
};
