/** Identifies a process uniquely, even though PIDs are reused. */
import { readFileSync, readlinkSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** In ticks since boot. */
  readonly startTime: number
  readonly bootId: string
  /** A PID is valid only in its namespace. */
  readonly pidNamespace: string
}

interface ProcessStat {
  readonly state: string
  readonly startTime: number
}

/** Undefined if there is no such process. */
const readStat = (pid: number): ProcessStat | undefined => {
  try {
    // The second field is the name in parentheses, which may itself contain spaces and parentheses.
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
  startTime: readStat(process.pid)!.startTime,
  bootId: bootId(),
  pidNamespace: pidNamespace(),
})

/** Whether its PID is valid in the namespace of this process. */
export const isInThisPidNamespace = (identity: ProcessIdentity): boolean =>
  identity.bootId === bootId() && identity.pidNamespace === pidNamespace()

/** Whether it is alive. Also true for processes of other namespaces, which cannot be checked. */
export const isAlive = (identity: ProcessIdentity): boolean => {
  if (identity.bootId !== bootId()) return false
  if (identity.pidNamespace !== pidNamespace()) return true
  const stat = readStat(identity.pid)
  return (
    stat !== undefined && stat.startTime === identity.startTime && stat.state !== 'Z' && stat.state !== 'X'
  )
}
