/** Words of the settings of rails. */

export type RailMode = 'test' | 'live';

/** Destinations as routes name them. Those of saved payees go as what is saved. */
export const ROUTED_DESTINATIONS = ['cliq', 'card', 'iban', 'wallet', 'account'] as const;

export type RoutedDestination = (typeof ROUTED_DESTINATIONS)[number];

/** The rail of transfers within a book. It needs no settings and serves both modes; a route to it sets their fee. */
export const BOOK_RAIL = 'book';
