import type { BenchContext, BenchResult } from './bench.ts';
export async function benchAccept(_: BenchContext): Promise<BenchResult> { throw new Error('not yet'); }
