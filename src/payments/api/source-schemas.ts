/** What a request may name as its source: a line for each type. */
import { z } from 'zod';
import { cardSource } from './sources/card.ts';
import { tokenSource } from './sources/token.ts';

export const sourceRequest = z.discriminatedUnion('type', [cardSource, tokenSource]);
