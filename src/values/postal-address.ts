/** A place to which mail is sent. */
export interface PostalAddress {
  readonly line1: string;
  readonly city: string;
  readonly postalCode: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}
