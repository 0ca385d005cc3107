/** The limits of a group as GET /v1/limits shows them, under a name of their own. Each group's api/ folder declares its own. */
import type { z } from 'zod';
import type { Config } from '../config.ts';
import type { Principal } from '../organisations/authenticate.ts';
import type { ApiRuntime } from './api-runtime.ts';

export interface GroupLimits {
  readonly name: string;
  readonly schema: z.ZodType;
  read(
    config: Config,
    asked: { readonly runtime: ApiRuntime; readonly principal: Principal },
  ): object | Promise<object>;
}
