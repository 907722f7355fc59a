/** Runs a generator, and reports its records in batches. */
import type { Clock, Timer } from '#kit'
import type { GeneratorHealth, JourneyRecord, RequestRecord } from '#spec'
import { createGenerator, type Generator, type GeneratorOptions } from './create-generator.ts'
import type { RecordBatch } from './generator-messages.ts'

const FLUSH_MS = 250
const HEALTH_MS = 1000

export interface GeneratorListener {
  /** Called every quarter of a second, if there are new records or active requested runs. */
  onRecords(batch: RecordBatch): void
  /** Called every second. */
  onHealth?: ((health: GeneratorHealth) => void) | undefined
}

export interface GeneratorRun {
  readonly generator: Generator
  /** Reports the records collected so far. */
  flush(): void
  /** Reports the remaining records. Later ones are dropped. */
  end(): void
}

/** Returns a function that ends the repetition. */
const repeatEvery = (clock: Clock, ms: number, task: () => void): (() => void) => {
  let timer: Timer
  const tick = (): void => {
    timer = clock.after(ms, tick)
    task()
  }
  timer = clock.after(ms, tick)
  return () => timer.cancel()
}

export const runGenerator = (
  options: Omit<GeneratorOptions, 'onRequest' | 'onJourney'>,
  { onRecords, onHealth }: GeneratorListener,
): GeneratorRun => {
  const { clock } = options
  let requests: RequestRecord[] = []
  let journeys: JourneyRecord[] = []
  let isOver = false
  const generator = createGenerator({
    ...options,
    onRequest: (record) => void requests.push(record),
    onJourney: (record) => void journeys.push(record),
  })
  const flush = (): void => {
    const probes = generator.probes()
    if (isOver || requests.length + journeys.length + probes.pending.length === 0) return
    const batch = { requests, journeys, probes }
    requests = []
    journeys = []
    onRecords(batch)
  }
  const endings = [
    repeatEvery(clock, FLUSH_MS, flush),
    ...(onHealth === undefined ? [] : [repeatEvery(clock, HEALTH_MS, () => onHealth(generator.health()))]),
  ]
  return {
    generator,
    flush,
    end() {
      for (const end of endings) end()
      flush()
      isOver = true
    },
  }
}
