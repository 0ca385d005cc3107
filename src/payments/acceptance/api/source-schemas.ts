/** What a request may name as its source: a line for each type, in both. */
import { z } from 'zod';
import { terminalRequest, terminalSourceOf } from '../../readers/api/terminal-source.ts';
import { cardRequest, cardSourceOf } from '../../sources/api/card.ts';
import { checkoutRequest } from '../../sources/api/checkout.ts';
import { cliqRequest, cliqRequestOf } from '../../sources/api/cliq-request.ts';
import { tokenRequest, tokenSourceOf } from '../../tokens/api/token-source.ts';
import type { SourceInput } from '../sources.ts';

export const sourceRequest = z
  .discriminatedUnion('type', [cardRequest, tokenRequest, cliqRequest, checkoutRequest, terminalRequest])
  .meta({ description: 'What it is paid with.' });

export function sourceOf(source: z.output<typeof sourceRequest>): SourceInput {
  switch (source.type) {
    case 'card':
      return cardSourceOf(source);
    case 'token':
      return tokenSourceOf(source);
    case 'cliq_request':
      return cliqRequestOf(source);
    case 'terminal':
      return terminalSourceOf(source);
    case 'checkout':
      return source;
  }
}
