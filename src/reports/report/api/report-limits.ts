import type { GroupLimits } from '../../../api/group-limits.ts';
import { reportLimits as limits, reportLimitsSchema } from './report-schemas.ts';

export const reportLimits: GroupLimits = { name: 'reports', schema: reportLimitsSchema, read: () => limits };
