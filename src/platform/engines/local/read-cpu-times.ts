/** Reads the CPU time of the machine, and of one cluster and its solver. */
import { readFileSync } from 'node:fs'
import { createCgroups } from '#machine/linux'
import { sandboxCpuMs } from '#machine/sandbox'
import type { CpuTimes } from '#spec'

/** /proc/stat has a resolution of 10 ms. */
const TICK_MS = 10

/** Fields of the first line of /proc/stat after its name: user, nice, system, idle, iowait, and more. */
const [IDLE, IO_WAIT] = [3, 4]
/** The remaining fields (guest times) are included in user and nice. */
const FIELD_COUNT = 8

/**
 * `cgroup` is the control group of the cluster. The CPU time of this process counts as the cluster's as well, and so does that of
 * programs of the solver: they must not make slow users look like the effect of other processes.
 */
export const readCpuTimes = (cgroup: string): CpuTimes => {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const ticks = line
    .trim()
    .split(/\s+/)
    .slice(1, 1 + FIELD_COUNT)
    .map(Number)
  const { user, system } = process.cpuUsage()
  return {
    allMs: ticks.reduce((sum, count) => sum + count, 0) * TICK_MS,
    idleMs: (ticks[IDLE]! + ticks[IO_WAIT]!) * TICK_MS,
    clusterMs: createCgroups().usage(cgroup).cpuMs + sandboxCpuMs() + (user + system) / 1000,
  }
}
