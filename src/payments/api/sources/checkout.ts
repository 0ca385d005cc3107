import { z } from 'zod';
import type { CheckoutSource } from '../../sources/checkout.ts';

export const checkoutSource = z
  .strictObject({ type: z.literal('checkout') })
  .transform((source): CheckoutSource => source)
  .meta({
    id: 'CheckoutSource',
    description: 'A hosted page where the payer gives the card: send the payer to `next_action.url`.',
  });
