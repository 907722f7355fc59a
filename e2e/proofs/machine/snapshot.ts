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

const listFoldersBelow = (folder: string): string[] =>
  valueOr(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [join(folder, name), ...listFoldersBelow(join(folder, name))])

const listFilesBelow = (folder: string): string[] =>
  valueOr(() => readdirSync(folder, { recursive: true, encoding: 'utf8' }), []).map((name) =>
    join(folder, name),
  )

/** Names each namespace with the first process that holds it, because the kernel reuses the numbers of namespaces. */
const describeNamespaces = (processes: readonly HostProcess[]): string[] => {
  const holders = new Map<string, string>()
  for (const holder of processes)
    for (const link of namespacesOf(holder)) if (!holders.has(link)) holders.set(link, nameOfProcess(holder))
  return [...holders].map(([link, holder]) => `${holder} holds ${link}`)
}

const runForLines = (program: string, ...args: string[]): string[] => {
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

const listMounts = (): string[] => readFileSync('/proc/self/mountinfo', 'utf8').split('\n').filter(Boolean)

export const takeSnapshot = ({ state, temporary }: Folders): Snapshot => {
  const processes = listProcesses()
  return {
    processes: new Set(processes.map(nameOfProcess)),
    namespaces: new Set(describeNamespaces(processes)),
    cgroups: new Set(listFoldersBelow('/sys/fs/cgroup')),
    mounts: new Set(listMounts()),
    'firewall rules': new Set([...runForLines('nft', 'list', 'ruleset'), ...runForLines('iptables-save')]),
    'network devices': new Set(runForLines('ip', '-o', '-br', 'link')),
    routes: new Set(runForLines('ip', 'route', 'show', 'table', 'all')),
    'state folder': new Set(listFilesBelow(state)),
    'temporary files': new Set([
      ...listFilesBelow(temporary),
      ...listFilesIn('/tmp'),
      ...listFilesIn('/var/tmp'),
    ]),
    'memory files': new Set(listFilesIn('/dev/shm')),
    'runtime files': new Set(listFilesIn('/run')),
  }
}

const listFilesIn = (folder: string): string[] =>
  valueOr(() => readdirSync(folder), []).map((name) => join(folder, name))

export interface Difference {
  readonly kind: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Returns the lines that were added and removed, by kind. */
export const compareSnapshots = (before: Snapshot, after: Snapshot): Difference[] =>
  Object.keys(before).flatMap((kind) => {
    const added = [...after[kind]!].filter((line) => !before[kind]!.has(line))
    const removed = [...before[kind]!].filter((line) => !after[kind]!.has(line))
    return added.length + removed.length === 0 ? [] : [{ kind, added, removed }]
  })
