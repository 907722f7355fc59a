/** Counts the resources that the engine in this process holds. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalCluster } from '#platform/engines/local'
import { events } from '#platform/kube'
import { valueOr } from '../machine/processes.ts'

const GC_ROUNDS = 5
const GC_PAUSE_MS = 50

const countEntries = (folder: string): number => readdirSync(folder, { recursive: true }).length

const countControlGroups = (id: string): number =>
  readdirSync('/sys/fs/cgroup', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      valueOr(
        () =>
          readdirSync(join('/sys/fs/cgroup', name, 'remedium', id), { recursive: true, withFileTypes: true }),
        [],
      ),
    )
    .filter((entry) => entry.isDirectory()).length

/** Counts the lines that a command prints in all network namespaces that this process holds open. */
const countLinesInside = (...command: string[]): number =>
  readdirSync('/proc/self/fd')
    .filter((fd) => valueOr(() => readlinkSync(`/proc/self/fd/${fd}`), '').startsWith('net:'))
    .map((fd) => {
      const args = [`--net=/proc/${process.pid}/fd/${fd}`, ...command]
      return spawnSync('nsenter', args, { encoding: 'utf8' }).stdout.trim().split('\n').length
    })
    .reduce((sum, count) => sum + count, 0)

/** Deletes all events, because the cluster keeps them for an hour, and they would hide unbounded growth. */
const deleteEvents = ({ cluster }: LocalCluster): void => {
  const { client } = cluster.resources
  for (const { metadata } of client.list(events)) client.delete(events, metadata.namespace!, metadata.name)
}

/**
 * The API keeps the last changes of every kind for watchers. This fills each history with changes of one object, so that the
 * histories are equally large in both measurements.
 */
const fillHistories = ({ cluster }: LocalCluster, changes: number): void => {
  const { client } = cluster.resources
  for (const kind of client.kinds()) {
    const [first] = client.list(kind)
    if (first === undefined) continue
    const { namespace = '', name } = first.metadata
    for (let turn = 0; turn < changes; turn += 1) {
      const object = client.get(kind, namespace, name)!
      const annotations = { ...object.metadata.annotations, 'example.com/turn': String(turn) }
      client.update(kind, { ...object, metadata: { ...object.metadata, annotations } })
    }
  }
}

/** Each round frees objects that the previous round made unreachable. */
const collectGarbage = async (): Promise<void> => {
  for (let round = 0; round < GC_ROUNDS; round += 1) {
    global.gc!()
    await sleep(GC_PAUSE_MS)
  }
}

const DESCRIPTOR_COUNTS = 10
const COUNT_INTERVAL_MS = 200

/** Returns the smallest of several counts, because probes and commands of the kubelet open descriptors briefly. */
const countDescriptors = async (): Promise<number> => {
  const counts: number[] = []
  while (counts.length < DESCRIPTOR_COUNTS) {
    counts.push(readdirSync('/proc/self/fd').length)
    await sleep(COUNT_INTERVAL_MS)
  }
  return Math.min(...counts)
}

export interface MeasureOptions {
  /** How many changes fill the history of each kind. */
  readonly history: number
  /** The pause before the measurement, because the resources of replaced pods are removed shortly after the pods. */
  readonly settleMs: number
}

export const measureEngine = async (
  cluster: LocalCluster,
  { history, settleMs }: MeasureOptions,
): Promise<Record<string, number>> => {
  const { folder, id } = cluster
  deleteEvents(cluster)
  fillHistories(cluster, history)
  await sleep(settleMs)
  await collectGarbage()
  const { rss, heapUsed } = process.memoryUsage()
  return {
    descriptors: await countDescriptors(),
    files: countEntries(folder),
    cgroups: countControlGroups(id),
    'network devices': countLinesInside('ip', '-o', 'link'),
    addresses: countLinesInside('ip', '-o', 'addr'),
    routes: countLinesInside('ip', 'route'),
    'heap (MB)': heapUsed / 1e6,
    'resident memory, histories full (MB)': rss / 1e6,
  }
}
