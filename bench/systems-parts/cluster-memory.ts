/** How much memory a cluster takes: its engine and every process in its containers. */
import { readdirSync, readFileSync } from 'node:fs'

const MIB = 1024

/** In KiB, with what several processes share counted once; 0 of one that has ended. */
const shareOf = (pid: string): number => {
  try {
    const [, kib] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return Number(kib ?? 0)
  } catch {
    return 0
  }
}

const isInside = (pid: string, id: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`/remedium/${id}/`)
  } catch {
    return false
  }
}

/** In MiB. */
export const clusterMemory = ({ id, pid }: { id: string; pid: number }): { engine: number; pods: number } => {
  const inside = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && isInside(entry, id))
  const pods = inside.reduce((sum, entry) => sum + shareOf(entry), 0)
  return { engine: shareOf(String(pid)) / MIB, pods: pods / MIB }
}
