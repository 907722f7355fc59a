/** Identifies a process uniquely, even though PIDs are reused. */
import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** In ticks since boot; on systems other than Linux, in milliseconds since the epoch. */
  readonly startTime: number
  /** Empty on systems other than Linux, as is the namespace. */
  readonly bootId: string
  /** A PID is valid only in its namespace. */
  readonly pidNamespace: string
}

interface ProcessStat {
  readonly state: string
  readonly startTime: number
}

const IS_LINUX = process.platform === 'linux'

/** Undefined if there is no such process. */
export const askPs = (pid: number): ProcessStat | undefined => {
  const { stdout } = spawnSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  })
  const [, state, start] = /^\s*(\S+)\s+(\S.*)$/m.exec(stdout ?? '') ?? []
  return state === undefined ? undefined : { state: state[0]!, startTime: Date.parse(`${start!.trim()} UTC`) }
}

/** Undefined if there is no such process. */
const readProc = (pid: number): ProcessStat | undefined => {
  try {
    // The second field is the name in parentheses, which may itself contain spaces and parentheses.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0]!, startTime: Number(fields[19]) }
  } catch {
    return undefined
  }
}

const readStat = IS_LINUX ? readProc : askPs

const bootId = (): string => (IS_LINUX ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : '')
const pidNamespace = (): string => (IS_LINUX ? readlinkSync('/proc/self/ns/pid') : '')

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
