/** Starts a system for a test, runs journeys on it, and reads their traces. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defined } from '#kit'
import { createLocalEngine, type LocalCluster } from '#platform/engines/local'
import type { RequestRecord, Span, System } from '#spec'
import { loadSystem } from '#world/systems'
import { type RecordBatch, runAllJourneys } from '#world/workload'

export interface LiveSystem {
  readonly system: System
  readonly cluster: LocalCluster
  /** Runs the named journeys once each; all by default. */
  runJourneys(journeys?: readonly string[]): Promise<RecordBatch>
  /** Resolves to the spans of each request, once they have arrived. */
  spansOf(requests: readonly RequestRecord[]): Promise<readonly (readonly Span[])[]>
  close(): Promise<void>
}

/** Longer than a twin buffers its spans. */
const SPAN_DELAY_MS = 500

export const bringUp = async (name: string): Promise<LiveSystem> => {
  const state = mkdtempSync(join(tmpdir(), `${name}-`))
  const system = await loadSystem(name)
  const cluster = await createLocalEngine({ state }).provision(system)
  let runs = 0
  return {
    system,
    cluster,
    runJourneys: (journeys) =>
      runAllJourneys({
        workload: system.workload!,
        entryPoints: cluster.entryPoints,
        seed: `run ${runs++}`,
        ...defined({ journeys }),
      }),
    async spansOf(requests) {
      await new Promise((resolve) => setTimeout(resolve, SPAN_DELAY_MS))
      return Promise.all(requests.map(({ traceId }) => cluster.telemetry!.query.trace(traceId)))
    },
    async close() {
      await cluster.close()
      rmSync(state, { recursive: true, force: true })
    },
  }
}
