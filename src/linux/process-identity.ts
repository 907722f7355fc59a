/** Which process it was: numbers come again, start times and boots do not. */
import { readFileSync, readlinkSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** In ticks since the machine was started. */
  readonly startTime: number
  readonly bootId: string
  /** Numbers of processes mean nothing outside the namespace that gave them. */
  readonly pidNamespace: string
}

interface ProcessStat {
  readonly state: string
  readonly startTime: number
}

/** What /proc tells of a process; nothing when there is none of this number. */
const statOf = (pid: number): ProcessStat | undefined => {
  try {
    // The name of the program comes second, in brackets, and may hold blanks and brackets itself.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0]!, startTime: Number(fields[19]) }
  } catch {
    return undefined
  }
}

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
const pidNamespace = (): string => readlinkSync('/proc/self/ns/pid')

export const thisProcess = (): ProcessIdentity => ({
  pid: process.pid,
  startTime: statOf(process.pid)!.startTime,
  bootId: bootId(),
  pidNamespace: pidNamespace(),
})

/** Whether its number means the same process here. */
export const isNumberedHere = (identity: ProcessIdentity): boolean =>
  identity.bootId === bootId() && identity.pidNamespace === pidNamespace()

/** Whether it lives, or may live: what another namespace numbers cannot be seen from here. */
export const isAlive = (identity: ProcessIdentity): boolean => {
  if (identity.bootId !== bootId()) return false
  if (identity.pidNamespace !== pidNamespace()) return true
  const stat = statOf(identity.pid)
  return (
    stat !== undefined && stat.startTime === identity.startTime && stat.state !== 'Z' && stat.state !== 'X'
  )
}
