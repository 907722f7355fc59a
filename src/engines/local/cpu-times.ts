/** What the machine's cores have done so far, and what of it was for one cluster. */
import { readFileSync } from 'node:fs'
import { createCgroups } from '../../linux/index.ts'
import type { CpuTimes } from '../../spec/index.ts'

/** The kernel tells these times to programs in hundredths of a second, whatever it counts in itself. */
const TICK_MS = 10

/** The fields of the first line of /proc/stat after its name: user, nice, system, idle, waiting for disks, and more. */
const [IDLE, WAITING] = [3, 4]
/** Time of guests is in the first two already. */
const FIELDS = 8

/** `cgroup`: that of the cluster. This process keeps it. */
export const cpuTimesOf = (cgroup: string): CpuTimes => {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const ticks = line
    .trim()
    .split(/\s+/)
    .slice(1, 1 + FIELDS)
    .map(Number)
  const { user, system } = process.cpuUsage()
  return {
    allMs: ticks.reduce((sum, one) => sum + one, 0) * TICK_MS,
    idleMs: (ticks[IDLE]! + ticks[WAITING]!) * TICK_MS,
    ownMs: createCgroups().usage(cgroup).cpuMs + (user + system) / 1000,
  }
}
