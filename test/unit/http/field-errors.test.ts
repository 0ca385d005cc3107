import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldErrorsOf } from '../../../src/http/field-errors.ts';
import { InexactNumber } from '../../../src/json.ts';

const body = z.strictObject({ version: z.number().int().min(1).max(9), name: z.string().optional() });

test.each([
  [{ version: 0 }, 'Expects at least 1.'],
  [{ version: 10 }, 'Expects at most 9.'],
  [{ version: new InexactNumber('1.5') }, 'Expects a whole number.'],
  [{ version: 1, name: new InexactNumber('1.5') }, 'Expects something else than a number.'],
])('%j is refused in words of ours', (input, detail) => {
  const { error } = body.safeParse(input);
  expect(fieldErrorsOf(error!, input, (path) => path.join('/')).map((one) => one.detail)).toEqual([detail]);
});
