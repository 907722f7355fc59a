/** Notes, while clusters come and go, by what their traces are told from those of everybody else on the machine. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type HostProcess, keyOfProcess, listProcesses, orElse } from './processes.ts'
import type { Difference, Folders, Snapshot } from './snapshot.ts'

const IDS_MS = 5
const PROCESSES_MS = 250
/** Nobody but the machine's owner changes these: there every difference counts. */
const OF_THE_HOST = new Set(['mounts', 'firewall rules', 'network devices', 'routes', 'state folder'])

export interface Traces {
  /** How much was seen of the clusters, in words. */
  summary(): string
  /** Of the differences those that are the clusters' doing; the rest others have done meanwhile. */
  split(differences: readonly Difference[], after: Snapshot): { ours: Difference[]; others: Difference[] }
  stop(): void
}

/** A process is of a cluster by its marker, by its control group, and by being a child of one that is. */
const belonging = (all: readonly HostProcess[], signs: readonly string[]): HostProcess[] => {
  const own = new Set([process.pid])
  const isOwn = ({ cluster, parent }: HostProcess): boolean =>
    own.has(parent) || signs.some((sign) => cluster.includes(sign))
  for (let grown = true; grown; ) {
    const found = all.filter((one) => !own.has(one.pid) && isOwn(one))
    for (const { pid } of found) own.add(pid)
    grown = found.length > 0
  }
  return all.filter(({ pid }) => own.has(pid) && pid !== process.pid)
}

/** Sandboxes are named by the process that made them, folders and control groups alike. */
const makerOf = (line: string): string => {
  const [, pid, startTime] = /sandbox-\d+-(\d+)-(\d+)-\d+/.exec(line) ?? []
  return `${pid}@${startTime}`
}

export const watchTraces = (folders: Folders): Traces => {
  const ids = new Set<string>()
  const processes = new Set<string>()
  const signs = (): string[] => [folders.state, folders.temporary, ...ids]

  // Those that are killed cannot tell their ids.
  const noteIds = (): void => {
    for (const name of orElse(() => readdirSync(join(folders.state, 'clusters')), []))
      if (!name.startsWith('.')) ids.add(name)
  }
  const noteProcesses = (): void => {
    for (const one of belonging(listProcesses(), signs())) processes.add(keyOfProcess(one))
  }
  const timers = [setInterval(noteIds, IDS_MS), setInterval(noteProcesses, PROCESSES_MS)]

  const isOurs = (what: string, line: string, after: Snapshot): boolean => {
    if (OF_THE_HOST.has(what) || signs().some((sign) => line.includes(sign))) return true
    if (processes.has(makerOf(line))) return true
    if (what === 'processes' || what === 'namespaces') return processes.has(line.split(' ')[0]!)
    // The group above all clusters stays only for those that live.
    const isTop = what === 'cgroups' && line.endsWith('/remedium')
    return isTop && ![...after.cgroups!].some((other) => other.startsWith(`${line}/`))
  }

  return {
    summary: () => `seen of them: ${ids.size} clusters, ${processes.size} processes`,
    split(differences, after) {
      const select = (wanted: boolean): Difference[] =>
        differences.flatMap(({ what, more, fewer }) => {
          const [left, lost] = [more, fewer].map((lines) =>
            lines.filter((line) => isOurs(what, line, after) === wanted),
          )
          return left!.length + lost!.length === 0 ? [] : [{ what, more: left!, fewer: lost! }]
        })
      return { ours: select(true), others: select(false) }
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
      noteIds()
      noteProcesses()
    },
  }
}
