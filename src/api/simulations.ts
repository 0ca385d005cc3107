/** What the routes of every simulation share. A test book's key with the scope may call them, and no other. */

import type { z } from 'zod';
import { type Route, route } from './route.ts';

/** `POST` under /v1/simulations, unless `method` names another. */
export function simulationRoute<BodySchema extends z.ZodType, QuerySchema extends z.ZodType>(
  declared: Omit<Route<BodySchema, QuerySchema>, 'tag' | 'scope' | 'testModeOnly' | 'method'> &
    Partial<Pick<Route, 'method'>>,
): Route {
  return route({ method: 'post', ...declared, tag: 'Simulations', scope: 'simulations:write', testModeOnly: true });
}
