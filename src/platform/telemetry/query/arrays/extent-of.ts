/** Computes the extent of signals in memory. */
import type { TimeRange } from '#spec'
import type { SampleBatch } from '../../collect/collected-sink.ts'
import type { MemorySignals } from '../../store/memory/memory-signals.ts'

/** The times of the first and the last of the signals; not in order without signals. */
const createExtent = () => {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  return {
    add(time: number): void {
      if (time < first) first = time
      if (time > last) last = time
    },
    toRange: (): TimeRange | undefined => (first > last ? undefined : { from: first, to: last + 1 }),
  }
}

const addBatch = (batch: SampleBatch, add: (time: number) => void): void => {
  if (batch.type === 'plain') for (const { time } of batch.samples) add(time)
  else if (batch.type === 'scrape' || batch.pods.length > 0) add(batch.time)
}

export const extentOf = (signals: MemorySignals): TimeRange | undefined => {
  const { add, toRange } = createExtent()
  for (const { start } of signals.spans) add(start)
  for (const { time } of signals.lines) add(time)
  for (const batch of signals.samples) addBatch(batch, add)
  for (const { time } of signals.events) add(time)
  for (const { raised } of signals.alerts) add(raised)
  for (const { started } of signals.requests) add(started)
  for (const { started } of signals.journeys) add(started)
  return toRange()
}
