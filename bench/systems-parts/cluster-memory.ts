/** Measures the memory of a cluster: its engine and every process in its containers. */
import { readdirSync, readFileSync } from 'node:fs'

const KIB_PER_MIB = 1024

/** The proportional set size in KiB; a sum of them counts shared memory once. 0 if the process has ended. */
const proportionalKib = (pid: string): number => {
  try {
    const [, kib] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return Number(kib ?? 0)
  } catch {
    return 0
  }
}

const isInClusterContainer = (pid: string, clusterId: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`/remedium/${clusterId}/`)
  } catch {
    return false
  }
}

/** Returns the memory in MiB. `pid` is the process of the engine. */
export const clusterMemory = ({ id, pid }: { id: string; pid: number }): { engine: number; pods: number } => {
  const containerPids = readdirSync('/proc').filter(
    (entry) => /^\d+$/.test(entry) && isInClusterContainer(entry, id),
  )
  const pods = containerPids.reduce((sum, entry) => sum + proportionalKib(entry), 0)
  return { engine: proportionalKib(String(pid)) / KIB_PER_MIB, pods: pods / KIB_PER_MIB }
}
