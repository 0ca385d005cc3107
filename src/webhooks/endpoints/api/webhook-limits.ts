import { z } from 'zod';
import type { GroupLimits } from '../../../api/group-limits.ts';
import { portsWith, URL_LENGTH_MAX } from '../../../outside/connections/endpoint-url.ts';
import { ATTEMPTS_MAX } from '../../deliveries/delivery.ts';
import { EVENT_FILTERS_MAX } from '../../events/event-filter.ts';
import { ENDPOINTS_PER_BOOK_MAX } from '../endpoint.ts';

const whole = (description: string) => z.number().int().meta({ description });

export const webhookLimits: GroupLimits = {
  name: 'webhooks',
  schema: z
    .object({
      endpoints: whole('Of a book.'),
      filters: whole('Of an endpoint.'),
      url_characters: whole('Of the URL of an endpoint.'),
      tries: whole('Of a delivery.'),
      ports: z.array(z.number().int()).meta({ description: 'That a new endpoint may use.' }),
    })
    .meta({ description: 'Of webhooks.' }),
  read: ({ WEBHOOK_ALLOW_PORTS }) => ({
    endpoints: ENDPOINTS_PER_BOOK_MAX,
    filters: EVENT_FILTERS_MAX,
    url_characters: URL_LENGTH_MAX,
    tries: ATTEMPTS_MAX,
    ports: portsWith(WEBHOOK_ALLOW_PORTS),
  }),
};
