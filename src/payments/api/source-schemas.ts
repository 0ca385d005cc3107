/** What a request may name as its source: a line for each type. */
import { z } from 'zod';
import { cardSource } from './sources/card.ts';
import { checkoutSource } from './sources/checkout.ts';

export const sourceRequest = z.discriminatedUnion('type', [cardSource, checkoutSource]);
