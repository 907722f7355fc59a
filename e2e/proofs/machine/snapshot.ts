/** Lists everything on this machine that a cluster could leave behind. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HostProcess, listProcesses, nameOfProcess, namespacesOf, valueOr } from './processes.ts'

/** One line per process, mount, file and so on, by kind. */
export type Snapshot = Readonly<Record<string, ReadonlySet<string>>>

export interface Folders {
  /** The state folder of the clusters. */
  readonly state: string
  /** The folder for temporary files of their processes. */
  readonly temporary: string
}

const foldersBelow = (folder: string): string[] =>
  valueOr(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [join(folder, name), ...foldersBelow(join(folder, name))])

const filesBelow = (folder: string): string[] =>
  valueOr(() => readdirSync(folder, { recursive: true, encoding: 'utf8' }), []).map((name) =>
    join(folder, name),
  )

/** Names each namespace with the first process that holds it, because the kernel reuses the numbers of namespaces. */
const namespaces = (processes: readonly HostProcess[]): string[] => {
  const holders = new Map<string, string>()
  for (const one of processes)
    for (const link of namespacesOf(one)) if (!holders.has(link)) holders.set(link, nameOfProcess(one))
  return [...holders].map(([link, holder]) => `${holder} holds ${link}`)
}

const linesOf = (program: string, ...args: string[]): string[] => {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed with status ${status}`)
  return (
    stdout
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      // Packet counters change all the time.
      .map((line) => line.replace(/\[\d+:\d+\]/, '').replace(/packets \d+ bytes \d+/, ''))
  )
}

const mounts = (): string[] => readFileSync('/proc/self/mountinfo', 'utf8').split('\n').filter(Boolean)

export const takeSnapshot = ({ state, temporary }: Folders): Snapshot => {
  const processes = listProcesses()
  return {
    processes: new Set(processes.map(nameOfProcess)),
    namespaces: new Set(namespaces(processes)),
    cgroups: new Set(foldersBelow('/sys/fs/cgroup')),
    mounts: new Set(mounts()),
    'firewall rules': new Set([...linesOf('nft', 'list', 'ruleset'), ...linesOf('iptables-save')]),
    'network devices': new Set(linesOf('ip', '-o', '-br', 'link')),
    routes: new Set(linesOf('ip', 'route', 'show', 'table', 'all')),
    'state folder': new Set(filesBelow(state)),
    'temporary files': new Set([...filesBelow(temporary), ...filesIn('/tmp'), ...filesIn('/var/tmp')]),
    'memory files': new Set(filesIn('/dev/shm')),
    'runtime files': new Set(filesIn('/run')),
  }
}

const filesIn = (folder: string): string[] =>
  valueOr(() => readdirSync(folder), []).map((name) => join(folder, name))

export interface Difference {
  readonly what: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** The lines that were added and removed, by kind. */
export const compareSnapshots = (before: Snapshot, after: Snapshot): Difference[] =>
  Object.keys(before).flatMap((what) => {
    const added = [...after[what]!].filter((line) => !before[what]!.has(line))
    const removed = [...before[what]!].filter((line) => !after[what]!.has(line))
    return added.length + removed.length === 0 ? [] : [{ what, added, removed }]
  })
