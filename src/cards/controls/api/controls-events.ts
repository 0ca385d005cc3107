import { eventsOf } from '../../../api/event-document.ts';
import { controlsApi } from './controls-routes.ts';

export const controlsEvents = eventsOf(controlsApi, {
  summary: {
    'card_controls.created': 'A version of controls was created',
    'card_controls.shadowed': 'A version of controls is tried out',
    'card_controls.activated': 'A version of controls was activated',
    'card_controls.retired': 'A version of controls was retired',
  },
  when: {
    'card_controls.created': 'A version was made. It has no effect before another event says so.',
    'card_controls.shadowed': 'What it would decline is shown with each authorization, and nothing else differs.',
    'card_controls.activated': 'It decides from now on; the version before it is retired with it.',
    'card_controls.retired': 'It has no further effect: another took its place, or it was retired.',
  },
});
