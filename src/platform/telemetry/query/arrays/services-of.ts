/** Lists the services with signals in memory. */
import type { TimeRange } from '#spec'
import type { SampleBatch } from '../../collect/collected-sink.ts'
import { type MemorySignals, serviceOfLine } from '../../store/memory/memory-signals.ts'
import { isWithin } from './is-within.ts'

const addServices = (services: Set<string>, batch: SampleBatch, range: TimeRange | undefined): void => {
  if (batch.type === 'plain') {
    for (const { time, labels } of batch.samples)
      if (labels.service !== undefined && isWithin(time, range)) services.add(labels.service)
  } else if (isWithin(batch.time, range)) {
    const pods = batch.type === 'usage' ? batch.pods : [batch.pod]
    for (const { service } of pods) services.add(service)
  }
}

export const servicesOf = (signals: MemorySignals, range?: TimeRange): readonly string[] => {
  const services = new Set<string>()
  for (const { start, service } of signals.spans) if (isWithin(start, range)) services.add(service)
  for (const line of signals.lines) if (isWithin(line.time, range)) services.add(serviceOfLine(line))
  for (const batch of signals.samples) addServices(services, batch, range)
  for (const { time, service } of signals.events)
    if (service !== undefined && isWithin(time, range)) services.add(service)
  return [...services].sort()
}
