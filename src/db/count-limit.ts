/** Rows that a gauge counts at most: "at least ten thousand" is as alarming as an exact figure. */
export const COUNT_LIMIT = 10_000;
