/** The resident memory of a process, in MiB. */
import { readFileSync } from 'node:fs'

export const residentMib = (pid: number): number => {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(match?.[1] ?? 0) / 1024
}
