/** Everything on this machine that a cluster could leave behind, by what it is called. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** What there is, one line each. */
export type Snapshot = Readonly<Record<string, ReadonlySet<string>>>

const NAMESPACE = /^(net|mnt|pid|ipc|uts|time|cgroup|user):\[\d+\]$/

const attempt = <T>(task: () => T, otherwise: T): T => {
  try {
    return task()
  } catch {
    // It is gone by now, or nobody may look.
    return otherwise
  }
}

const pids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

/** For which cluster a process was started, as its environment or its control group tells. */
const clusterOf = (pid: string): string => {
  const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8'), '')
  const marker = /REMEDIUM_CLUSTER=[^\0]*/.exec(environment)?.[0] ?? ''
  const groups = attempt(() => readFileSync(`/proc/${pid}/cgroup`, 'utf8'), '')
  return [marker, /\/remedium\/.*/.exec(groups)?.[0] ?? ''].filter(Boolean).join(' ')
}

/** Without those of the kernel, and the dead that nobody has asked for yet. */
const processes = (): string[] =>
  pids().flatMap((pid) => {
    const line = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '')
      .replaceAll('\0', ' ')
      .trim()
    return line === '' ? [] : [`${pid} ${line.slice(0, 160)} ${clusterOf(pid)}`.trim()]
  })

const namespaces = (): string[] =>
  pids().flatMap((pid) => {
    const own = attempt(() => readdirSync(`/proc/${pid}/ns`), []).map((name) => `/proc/${pid}/ns/${name}`)
    const open = attempt(() => readdirSync(`/proc/${pid}/fd`), []).map((name) => `/proc/${pid}/fd/${name}`)
    return [...own, ...open]
      .map((path) => attempt(() => readlinkSync(path), ''))
      .filter((link) => NAMESPACE.test(link))
  })

const foldersBelow = (folder: string): string[] =>
  attempt(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [join(folder, name), ...foldersBelow(join(folder, name))])

const filesBelow = (folder: string): string[] =>
  attempt(() => readdirSync(folder, { recursive: true, encoding: 'utf8' }), []).map((name) =>
    join(folder, name),
  )

const linesOf = (program: string, ...args: string[]): string[] =>
  (spawnSync(program, args, { encoding: 'utf8' }).stdout ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    // Counters of packets change by themselves.
    .map((line) => line.replace(/\[\d+:\d+\]/, '').replace(/packets \d+ bytes \d+/, ''))

const mounts = (): string[] => readFileSync('/proc/self/mountinfo', 'utf8').split('\n').filter(Boolean)

export const takeSnapshot = (state: string): Snapshot => ({
  processes: new Set(processes()),
  namespaces: new Set(namespaces()),
  cgroups: new Set(foldersBelow('/sys/fs/cgroup')),
  mounts: new Set(mounts()),
  'firewall rules': new Set([...linesOf('nft', 'list', 'ruleset'), ...linesOf('iptables-save')]),
  'network devices': new Set(linesOf('ip', '-o', '-br', 'link')),
  routes: new Set(linesOf('ip', 'route', 'show', 'table', 'all')),
  'state folder': new Set(filesBelow(state)),
  'memory files': new Set(filesBelow('/dev/shm')),
  'temporary files': new Set(attempt(() => readdirSync('/tmp'), [])),
  'runtime files': new Set(attempt(() => readdirSync('/run'), [])),
})

/** Nobody but the machine's owner changes these, so that there every difference counts. */
const OF_THE_HOST = new Set(['mounts', 'firewall rules', 'network devices', 'routes'])

/** What tells of one of `names`, and what is the host's own: all that counts where others are at work too. */
export const ofClusters = (snapshot: Snapshot, names: readonly string[]): Snapshot =>
  Object.fromEntries(
    Object.entries(snapshot).map(([what, lines]) => [
      what,
      OF_THE_HOST.has(what)
        ? lines
        : new Set([...lines].filter((line) => names.some((name) => line.includes(name)))),
    ]),
  )

export interface Difference {
  readonly what: string
  readonly more: readonly string[]
  readonly fewer: readonly string[]
}

/** What is there now and was not, and what was and is not. */
export const compareSnapshots = (before: Snapshot, after: Snapshot): Difference[] =>
  Object.keys(before).flatMap((what) => {
    const more = [...after[what]!].filter((line) => !before[what]!.has(line))
    const fewer = [...before[what]!].filter((line) => !after[what]!.has(line))
    return more.length + fewer.length === 0 ? [] : [{ what, more, fewer }]
  })
