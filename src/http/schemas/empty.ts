/** What takes nothing refuses everything by name. */
import { z } from 'zod';

export const emptyBody = z.strictObject({});
export const emptyQuery = z.strictObject({});
