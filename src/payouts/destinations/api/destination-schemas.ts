/** Schemas of destinations, of every type in the list (../destinations.ts). */
import { z } from 'zod';
import { accountRequest, accountShown } from './account.ts';
import { cliqRequest, cliqShown } from './cliq.ts';

export const destinationRequest = z
  .discriminatedUnion('type', [cliqRequest, accountRequest])
  .meta({ description: 'Where the money goes.' });

export const destinationShown = z.discriminatedUnion('type', [cliqShown, accountShown]);
