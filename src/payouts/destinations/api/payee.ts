import { z } from 'zod';
import { reference } from '../../../api/schemas/fields.ts';

export const payeeRequest = z
  .strictObject({ type: z.literal('payee'), payee: reference('payee', 'A saved destination.') })
  .meta({ id: 'PayeeDestinationInput', description: 'Whatever destination the payee has.' });
