import { z } from 'zod';
import type { GroupLimits } from '../../../api/group-limits.ts';
import { DOCUMENT_LINES_MAX } from './statement-file.ts';

export const statementLimits: GroupLimits = {
  name: 'statements',
  schema: z
    .object({
      document_lines: z
        .number()
        .int()
        .meta({ description: 'Of a statement as pdf or camt053. As json and csv it has any number of lines.' }),
    })
    .meta({ description: 'Of statements of accounts.' }),
  read: () => ({ document_lines: Number(DOCUMENT_LINES_MAX) }),
};
