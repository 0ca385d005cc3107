import { eventsOf } from '../../api/event-document.ts';
import { apiKeyApi } from './api-key-routes.ts';

export const apiKeyEvents = eventsOf(apiKeyApi, {
  summary: {
    'api_key.created': 'A key was made',
    'api_key.rolled': 'A key has a successor',
    'api_key.revoked': 'A key was revoked',
  },
  when: {
    'api_key.created': 'A key was made over the API, or as the successor of one that was rolled there.',
    'api_key.rolled': 'A key was rolled over the API. It ends with its overlap.',
    'api_key.revoked': 'A key was revoked over the API.',
  },
});
