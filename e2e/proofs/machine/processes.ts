/** The processes of this machine: whose children they are, for which cluster they run, which namespaces they hold. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface HostProcess {
  readonly pid: number
  readonly parent: number
  /** In ticks since the machine was started: numbers come again. */
  readonly startTime: string
  readonly commandLine: string
  /** Or sandbox, as its environment and its control groups tell; empty where they tell of none. */
  readonly cluster: string
}

const NAMESPACE = /^(net|mnt|pid|ipc|uts|time|cgroup|user):\[\d+\]$/

export const orElse = <T>(task: () => T, otherwise: T): T => {
  try {
    return task()
  } catch {
    // It is gone by now, or nobody may look.
    return otherwise
  }
}

const textOf = (path: string): string => orElse(() => readFileSync(path, 'utf8'), '')

const clusterOf = (pid: number): string => {
  const marker = /REMEDIUM_CLUSTER=[^\0]*/.exec(textOf(`/proc/${pid}/environ`))?.[0]
  const group = /\/remedium(-sandboxes)?\/.*/.exec(textOf(`/proc/${pid}/cgroup`))?.[0]
  return [marker, group].filter((sign) => sign !== undefined).join(' ')
}

/** Without threads of the kernel, and the dead that nobody has asked for yet: neither has a command line. */
export const listProcesses = (): HostProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((pid) => {
      const commandLine = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
      const stat = textOf(`/proc/${pid}/stat`)
      if (commandLine === '' || stat === '') return []
      // The name of the program comes before, in brackets, and may hold blanks and brackets itself.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return [
        { pid, parent: Number(fields[1]), startTime: fields[19]!, commandLine, cluster: clusterOf(pid) },
      ]
    })

/** The same for the same process, as long as it lives. */
export const keyOfProcess = ({ pid, startTime }: HostProcess): string => `${pid}@${startTime}`

export const nameOfProcess = (process: HostProcess): string =>
  `${keyOfProcess(process)} ${process.commandLine.slice(0, 160)} ${process.cluster}`.trim()

/** Those it is in, and those it holds open. */
export const namespacesOf = ({ pid }: HostProcess): string[] =>
  ['ns', 'fd']
    .flatMap((kind) =>
      orElse(() => readdirSync(`/proc/${pid}/${kind}`), []).map((name) => `/proc/${pid}/${kind}/${name}`),
    )
    .map((path) => orElse(() => readlinkSync(path), ''))
    .filter((link) => NAMESPACE.test(link))
