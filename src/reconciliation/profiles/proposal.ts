/** What is asked of a person before a profile of a CSV is certain. */

/** As options of the command name it. */
type About = 'delimiter' | 'decimal' | 'date_format' | 'booked_on' | 'amount';

/** Several readings fit. */
export interface Question {
  readonly about: About;
  readonly choices: readonly {
    readonly value: string;
    /** How something of the file reads then. */
    readonly reads: string;
  }[];
}
