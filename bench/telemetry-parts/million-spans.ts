/** How long questions take over a million spans. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRealClock } from '../../src/kit/index.ts'
import { createTelemetryStore } from '../../src/telemetry/index.ts'
import { madeSpan } from './made-spans.ts'

const SPANS = 1_000_000
const BATCH = 5000
const MOST_BYTES = 2 ** 31

/** Milliseconds by question. */
export const measureQueries = async (): Promise<Readonly<Record<string, number>>> => {
  const folder = mkdtempSync(join(tmpdir(), 'telemetry-bench-'))
  const clock = createRealClock({ keepsAlive: true })
  const store = createTelemetryStore({ file: join(folder, 'bench.sqlite'), clock, maxBytes: MOST_BYTES })
  const start = Date.now()
  try {
    for (let n = 0; n < SPANS; n += BATCH) {
      store.spans(Array.from({ length: BATCH }, (_, one) => madeSpan(n + one, start + (n + one) / 2)))
      await store.flush()
    }
    const { query } = store
    const questions = {
      'the graph': () => query.graph(),
      'the graph of one minute': () => query.graph({ from: start + 100_000, to: start + 160_000 }),
      endpoints: () => query.endpoints(),
      'error samples': () => query.errorSamples(),
      'one trace': () => query.trace('00000000000000000000000000000100'),
      'the newest spans of a service': () => query.spans({ services: ['ts-service-3'] }),
      services: () => query.services(),
    }
    // The process that answers is started by the first question.
    await query.extent()
    const times: Record<string, number> = {}
    for (const [name, ask] of Object.entries(questions)) {
      const asked = performance.now()
      await ask()
      times[name] = performance.now() - asked
    }
    return times
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}
