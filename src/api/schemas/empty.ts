/** Schemas of routes without a body or query: each member is refused by name. */
import { z } from 'zod';

export const emptyBody = z.strictObject({});
export const emptyQuery = z.strictObject({});
