/** Lists the processes of this machine, with their parents, clusters and namespaces. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface HostProcess {
  readonly pid: number
  readonly parent: number
  /** In clock ticks since boot; identifies the process together with `pid`, which is reused. */
  readonly startTime: string
  readonly commandLine: string
  /** The cluster or sandbox, from the environment and the control groups; empty if there is none. */
  readonly cluster: string
}

const NAMESPACE = /^(net|mnt|pid|ipc|uts|time|cgroup|user):\[\d+\]$/

/** Returns `fallback` if `read` throws. */
export const valueOr = <T>(read: () => T, fallback: T): T => {
  try {
    return read()
  } catch {
    // The process has exited, or access is denied.
    return fallback
  }
}

const readText = (path: string): string => valueOr(() => readFileSync(path, 'utf8'), '')

const clusterOf = (pid: number): string => {
  const marker = /REMEDIUM_CLUSTER=[^\0]*/.exec(readText(`/proc/${pid}/environ`))?.[0]
  const group = /\/remedium(-sandboxes)?\/.*/.exec(readText(`/proc/${pid}/cgroup`))?.[0]
  return [marker, group].filter((part) => part !== undefined).join(' ')
}

/** Omits kernel threads and zombies, which have no command line. */
export const listProcesses = (): HostProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((pid) => {
      const commandLine = readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
      const stat = readText(`/proc/${pid}/stat`)
      if (commandLine === '' || stat === '') return []
      // The fields before include the program name in parentheses, which can contain spaces and parentheses.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return [
        { pid, parent: Number(fields[1]), startTime: fields[19]!, commandLine, cluster: clusterOf(pid) },
      ]
    })

/** A key that is unique even if process ids are reused. */
export const keyOfProcess = ({ pid, startTime }: HostProcess): string => `${pid}@${startTime}`

export const nameOfProcess = (process: HostProcess): string =>
  `${keyOfProcess(process)} ${process.commandLine.slice(0, 160)} ${process.cluster}`.trim()

/** Returns the namespaces that a process is in or holds open. */
export const namespacesOf = ({ pid }: HostProcess): string[] =>
  ['ns', 'fd']
    .flatMap((kind) =>
      valueOr(() => readdirSync(`/proc/${pid}/${kind}`), []).map((name) => `/proc/${pid}/${kind}/${name}`),
    )
    .map((path) => valueOr(() => readlinkSync(path), ''))
    .filter((link) => NAMESPACE.test(link))
