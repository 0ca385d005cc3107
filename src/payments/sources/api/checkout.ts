import { z } from 'zod';

export const checkoutRequest = z.strictObject({ type: z.literal('checkout') }).meta({
  id: 'CheckoutSource',
  description: 'A hosted page where the payer gives the card: send the payer to `next_action.url`.',
});
