/**
 * The metrics of a process for Prometheus. Histograms and counters are fed where the work is done; gauges about the whole are
 * read when they are scraped (scraped-gauges.ts).
 * A book is never a label: the number of books grows with the business, and the number of labels must not.
 */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AuditCounts } from '../audit/audit.ts';
import type { EnqueueCounts } from '../queue/enqueuer.ts';
import { type BatchMetrics, createBatchMetrics } from './batch-metrics.ts';
import { SECONDS } from './metric-buckets.ts';
import { createScrapedGauges, type MetricsInputs } from './scraped-gauges.ts';
import {
  type CardDecisionCounts,
  type CheckpointCounts,
  createAuditCounts,
  createCardDecisionCounts,
  createCheckpointCounts,
  createEnqueueCounts,
  createRailFailureCounts,
  type RailFailureCounts,
} from './work-counters.ts';

export interface Metrics extends BatchMetrics {
  readonly enqueuer: EnqueueCounts;
  readonly audit: AuditCounts;
  readonly checkpoints: CheckpointCounts;
  readonly cardDecisions: CardDecisionCounts;
  readonly railFailures: RailFailureCounts;
  /** Sets the number of settings of the database role that do not fit. */
  roleTimeouts(unfit: number): void;
  /** One answered request. `route` is the pattern, never the path. */
  observeRequest(request: { method: string; route: string; status: number }, seconds: number): void;
  render(): Promise<string>;
  readonly contentType: string;
}

/** Digits of a digest that are shown: enough to distinguish files. */
const DIGEST_SHOWN = 16;

export function createMetrics({ railsFile, ...inputs }: MetricsInputs & { railsFile?: string | null }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'countinghouse_http_request_seconds',
    help: 'How long a request took, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  });
  const unfitSettings = new Gauge({
    name: 'countinghouse_role_timeouts_unfit',
    help: 'How many settings of the role of DATABASE_URL and of its server, timeouts and others, do not fit; the log names them. Read once a minute.',
    registers,
  });
  new Gauge({
    name: 'countinghouse_rails_file_info',
    help: 'Always 1. Its label is the digest of the RAILS_FILE that this process has read, or `none`.',
    labelNames: ['digest'],
    registers,
  }).set({ digest: railsFile?.slice(0, DIGEST_SHOWN) ?? 'none' }, 1);
  const readGauges = createScrapedGauges(inputs, registers);
  return {
    enqueuer: createEnqueueCounts(registers),
    audit: createAuditCounts(registers),
    checkpoints: createCheckpointCounts(registers),
    cardDecisions: createCardDecisionCounts(registers),
    railFailures: createRailFailureCounts(registers),
    roleTimeouts: (unfit) => unfitSettings.set(unfit),
    ...createBatchMetrics(registers),
    observeRequest({ method, route, status }, seconds) {
      requests.observe({ method, route, status }, seconds);
    },
    async render() {
      await readGauges();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
