/** Measures how long queries over many spans take. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRealClock } from '#kit'
import { createTelemetryStore } from '#platform/telemetry'
import { createSpan } from './create-span.ts'

const BATCH_SPANS = 5000
/** Room for a million spans. */
const MAX_BYTES = 2 ** 31

/** Resolves to the duration of each query over `spans` spans, in milliseconds. */
export const measureQueries = async (spans: number): Promise<Readonly<Record<string, number>>> => {
  const folder = mkdtempSync(join(tmpdir(), 'telemetry-bench-'))
  const clock = createRealClock({ keepsAlive: true })
  const store = createTelemetryStore({ file: join(folder, 'bench.sqlite'), clock, maxBytes: MAX_BYTES })
  const start = Date.now()
  try {
    for (let n = 0; n < spans; n += BATCH_SPANS) {
      store.spans(
        Array.from({ length: BATCH_SPANS }, (_, index) => createSpan(n + index, start + (n + index) / 2)),
      )
      await store.flush()
    }
    const { query } = store
    const queries = {
      'the graph': () => query.graph(),
      'the graph of one minute': () => query.graph({ from: start + 100_000, to: start + 160_000 }),
      endpoints: () => query.endpoints(),
      'error samples': () => query.errorSamples(),
      'one trace': () => query.trace('00000000000000000000000000000100'),
      'the newest spans of a service': () => query.spans({ services: ['ts-service-3'] }),
      services: () => query.services(),
    }
    // The first query starts the query process, and is not measured.
    await query.extent()
    const times: Record<string, number> = {}
    for (const [name, run] of Object.entries(queries)) {
      const started = performance.now()
      await run()
      times[name] = performance.now() - started
    }
    return times
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}
