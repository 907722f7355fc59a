/** A system that runs for a test, its users, and what is seen of them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalEngine, type LocalCluster } from '../../../src/engines/local/index.ts'
import type { RequestRecord, Span, System } from '../../../src/spec/index.ts'
import { loadSystem } from '../../../src/systems/index.ts'
import { type RecordBatch, walkAll } from '../../../src/workload/index.ts'

export interface LiveSystem {
  readonly system: System
  readonly cluster: LocalCluster
  /** Walks these journeys once each, all where none is named. */
  walk(journeys?: readonly string[]): Promise<RecordBatch>
  /** The spans of the requests, by the trace they belong to, once as many have come as will. */
  spansOf(requests: readonly RequestRecord[]): Promise<readonly (readonly Span[])[]>
  close(): Promise<void>
}

/** Longer than a twin keeps its spans back. */
const SPANS_MS = 500

export const bringUp = async (name: string): Promise<LiveSystem> => {
  const state = mkdtempSync(join(tmpdir(), `${name}-`))
  const system = await loadSystem(name)
  const cluster = await createLocalEngine({ state }).provision(system)
  let walks = 0
  return {
    system,
    cluster,
    walk: (journeys) =>
      walkAll({
        workload: system.workload!,
        entryPoints: cluster.entryPoints,
        seed: `walk ${walks++}`,
        ...(journeys === undefined ? {} : { journeys }),
      }),
    async spansOf(requests) {
      await new Promise((resolve) => setTimeout(resolve, SPANS_MS))
      return Promise.all(requests.map(({ traceId }) => cluster.telemetry!.query.trace(traceId)))
    },
    async close() {
      await cluster.close()
      rmSync(state, { recursive: true, force: true })
    },
  }
}
