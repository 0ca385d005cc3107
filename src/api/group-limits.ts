/** The limits of a group as GET /v1/limits shows them, under a name of their own. Each group's api/ folder declares its own. */
import type { z } from 'zod';
import type { Config } from '../config.ts';

export interface GroupLimits {
  readonly name: string;
  readonly schema: z.ZodType;
  read(config: Config): object;
}
