/** Everything on this machine that a cluster could leave behind, by what it is called. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HostProcess, listProcesses, nameOfProcess, namespacesOf, orElse } from './processes.ts'

/** What there is, one line each. */
export type Snapshot = Readonly<Record<string, ReadonlySet<string>>>

export interface Folders {
  /** Where the clusters keep what they keep. */
  readonly state: string
  /** Where their processes put temporary files. */
  readonly temporary: string
}

const foldersBelow = (folder: string): string[] =>
  orElse(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [join(folder, name), ...foldersBelow(join(folder, name))])

const filesBelow = (folder: string): string[] =>
  orElse(() => readdirSync(folder, { recursive: true, encoding: 'utf8' }), []).map((name) =>
    join(folder, name),
  )

/** Each with the first process that holds it: the kernel gives their numbers again. */
const namespaces = (processes: readonly HostProcess[]): string[] => {
  const holders = new Map<string, string>()
  for (const one of processes)
    for (const link of namespacesOf(one)) if (!holders.has(link)) holders.set(link, nameOfProcess(one))
  return [...holders].map(([link, holder]) => `${holder} holds ${link}`)
}

const linesOf = (program: string, ...args: string[]): string[] => {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} says nothing of this machine: ${status}`)
  return (
    stdout
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      // Counters of packets change by themselves.
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
  orElse(() => readdirSync(folder), []).map((name) => join(folder, name))

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
