/** Records the ids and processes of clusters while they run, to tell their traces from those of other programs. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type HostProcess, keyOfProcess, listProcesses, valueOr } from './processes.ts'
import type { Difference, Folders, Snapshot } from './snapshot.ts'

const IDS_MS = 5
const PROCESSES_MS = 250
/** Other programs do not change these: every difference counts. */
const OF_THE_HOST = new Set(['mounts', 'firewall rules', 'network devices', 'routes', 'state folder'])

export interface Traces {
  /** A sentence about what was recorded. */
  summary(): string
  /** Separates differences that the clusters caused from those that other programs caused. */
  split(differences: readonly Difference[], after: Snapshot): { ours: Difference[]; others: Difference[] }
  stop(): void
}

/** The processes that have the marker or the control group of a cluster, and their descendants. */
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

/** The key of the process that created a sandbox, from the name of its folder or control group. */
const creatorOf = (line: string): string => {
  const [, pid, startTime] = /sandbox-\d+-(\d+)-(\d+)-\d+/.exec(line) ?? []
  return `${pid}@${startTime}`
}

export const watchTraces = (folders: Folders): Traces => {
  const ids = new Set<string>()
  const processes = new Set<string>()
  const signs = (): string[] => [folders.state, folders.temporary, ...ids]

  // Killed clusters cannot report their ids.
  const noteIds = (): void => {
    for (const name of valueOr(() => readdirSync(join(folders.state, 'clusters')), []))
      if (!name.startsWith('.')) ids.add(name)
  }
  const noteProcesses = (): void => {
    for (const one of belonging(listProcesses(), signs())) processes.add(keyOfProcess(one))
  }
  const timers = [setInterval(noteIds, IDS_MS), setInterval(noteProcesses, PROCESSES_MS)]

  const isOurs = (what: string, line: string, after: Snapshot): boolean => {
    if (OF_THE_HOST.has(what) || signs().some((sign) => line.includes(sign))) return true
    if (processes.has(creatorOf(line))) return true
    if (what === 'processes' || what === 'namespaces') return processes.has(line.split(' ')[0]!)
    // The parent of all control groups may stay only while other clusters run.
    const isTop = what === 'cgroups' && line.endsWith('/remedium')
    return isTop && ![...after.cgroups!].some((other) => other.startsWith(`${line}/`))
  }

  return {
    summary: () => `recorded: ${ids.size} clusters, ${processes.size} processes`,
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
