/** What appointments are handed where no payout goes over a rail. */
import { NO_RAIL_SETTINGS } from '../../src/rails/settings/rail-settings.ts';

export const WITHOUT_RAILS = {
  rails: {
    all: () => [],
    get(name: string): never {
      throw new Error(`There is no rail named ${name}`);
    },
  },
  railSettings: NO_RAIL_SETTINGS,
  forms: { laterJobs: true },
  feeTax: new Map<string, number>(),
};
