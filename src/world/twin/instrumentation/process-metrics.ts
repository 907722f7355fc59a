/** The standard process metrics of Prometheus exporters. */
import type { TwinHost } from '#world/twin/ports'

const gauge = (name: string, value: number): string[] => [`# TYPE ${name} gauge`, `${name} ${value}`]

/** `startedAt` is in milliseconds since the epoch. */
export const processMetrics = (
  host: Pick<TwinHost, 'cpu' | 'memory' | 'counts'>,
  startedAt: number,
): string[] => [
  '# TYPE process_cpu_seconds_total counter',
  `process_cpu_seconds_total ${host.cpu.usedMs() / 1000}`,
  ...gauge('process_resident_memory_bytes', host.memory.usedBytes()),
  ...gauge('process_start_time_seconds', Math.round(startedAt) / 1000),
  ...gauge('process_open_fds', host.counts().openDescriptors),
]
