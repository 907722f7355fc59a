/** Records the ids and processes of clusters while they run, to separate their changes from those of other programs. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { listSandboxes } from '#machine/sandbox'
import { type HostProcess, keyOfProcess, listProcesses, valueOr } from './processes.ts'
import type { Difference, Folders, Snapshot } from './snapshot.ts'

const IDS_POLL_MS = 5
const PROCESSES_POLL_MS = 250
/** Other programs do not change these: every difference counts. */
const ALWAYS_FROM_CLUSTERS = new Set([
  'mounts',
  'firewall rules',
  'network devices',
  'routes',
  'state folder',
])

export interface ClusterWatch {
  /** Returns how many clusters and processes were recorded, as text. */
  summary(): string
  /** Separates differences that the clusters caused from those that other programs caused. */
  split(
    differences: readonly Difference[],
    after: Snapshot,
  ): { fromClusters: Difference[]; others: Difference[] }
  stop(): void
}

/** Returns the processes with a marker of a cluster, their descendants, and the descendants of this process. */
const findClusterProcesses = (all: readonly HostProcess[], markers: readonly string[]): HostProcess[] => {
  const pids = new Set([process.pid])
  const isOfCluster = ({ cluster, parent }: HostProcess): boolean =>
    pids.has(parent) || markers.some((marker) => cluster.includes(marker))
  for (let grown = true; grown; ) {
    const found = all.filter((candidate) => !pids.has(candidate.pid) && isOfCluster(candidate))
    for (const { pid } of found) pids.add(pid)
    grown = found.length > 0
  }
  return all.filter(({ pid }) => pids.has(pid) && pid !== process.pid)
}

/** Returns the key of the process that created a sandbox, from the name of its folder or control group. */
const creatorOf = (line: string): string | undefined => {
  const owner = listSandboxes().find(({ id }) => line.includes(id))?.owner
  return owner && `${owner.pid}@${owner.startTime}`
}

export const watchClusters = (folders: Folders): ClusterWatch => {
  const ids = new Set<string>()
  const processes = new Set<string>()
  const markers = (): string[] => [folders.state, folders.temporary, ...ids]

  // Polls the state folder, because killed clusters cannot report their ids.
  const recordIds = (): void => {
    for (const name of valueOr(() => readdirSync(join(folders.state, 'clusters')), []))
      if (!name.startsWith('.')) ids.add(name)
  }
  const recordProcesses = (): void => {
    for (const found of findClusterProcesses(listProcesses(), markers())) processes.add(keyOfProcess(found))
  }
  const timers = [setInterval(recordIds, IDS_POLL_MS), setInterval(recordProcesses, PROCESSES_POLL_MS)]

  const isFromClusters = (kind: string, line: string, after: Snapshot): boolean => {
    if (ALWAYS_FROM_CLUSTERS.has(kind) || markers().some((marker) => line.includes(marker))) return true
    if (processes.has(creatorOf(line) ?? '')) return true
    if (kind === 'processes' || kind === 'namespaces') return processes.has(line.split(' ')[0]!)
    // The parent of all control groups is a leak only if no other cluster runs.
    const isRootGroup = kind === 'cgroups' && line.endsWith('/remedium')
    return isRootGroup && ![...after.cgroups!].some((other) => other.startsWith(`${line}/`))
  }

  return {
    summary: () => `recorded: ${ids.size} clusters, ${processes.size} processes`,
    split(differences, after) {
      const select = (fromClusters: boolean): Difference[] =>
        differences.flatMap((difference) => {
          const { kind } = difference
          const isSelected = (line: string): boolean => isFromClusters(kind, line, after) === fromClusters
          const [added, removed] = [
            difference.added.filter(isSelected),
            difference.removed.filter(isSelected),
          ]
          return added.length + removed.length === 0 ? [] : [{ kind, added, removed }]
        })
      return { fromClusters: select(true), others: select(false) }
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
      recordIds()
      recordProcesses()
    },
  }
}
