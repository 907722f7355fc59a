/** Reads how old a process is. */
import { readFileSync } from 'node:fs'

/** The unit of a process's start time in /proc, counted since boot. */
const TICK_MS = 10

/** In milliseconds; 0 if the process has ended. */
export const processAge = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
    const uptimeMs = Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * 1000
    return Math.max(0, uptimeMs - ticks * TICK_MS)
  } catch {
    return 0
  }
}
