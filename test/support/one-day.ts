/**
 * For tests that name days: a clock whose day does not end while they run. Within the last hour of a day (UTC) it is an hour behind, and
 * no file of tests takes an hour.
 */
import type { Clock } from '../../src/values/clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const behindMs = DAY_MS - (Date.now() % DAY_MS) < HOUR_MS ? HOUR_MS : 0;

export const oneDay: Clock = { now: () => Date.now() - behindMs };

/** Of `oneDay`, in UTC: `2026-11-03`. */
export const today = new Date(oneDay.now()).toISOString().slice(0, 10);
