/** Every route of the API. Order counts for speed alone: what is called most stands first. */
import type { Route } from '../route.ts';

export const ROUTES: readonly Route[] = [];
