/** The standard process metrics of Prometheus exporters. */
import { readdirSync } from 'node:fs'

const countDescriptors = (): number => {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

const gauge = (name: string, value: number): string[] => [`# TYPE ${name} gauge`, `${name} ${value}`]

export const processMetrics = (): string[] => {
  const { user, system } = process.cpuUsage()
  return [
    '# TYPE process_cpu_seconds_total counter',
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    ...gauge('process_resident_memory_bytes', process.memoryUsage.rss()),
    ...gauge('process_start_time_seconds', Math.round(performance.timeOrigin) / 1000),
    ...gauge('process_open_fds', countDescriptors()),
  ]
}
