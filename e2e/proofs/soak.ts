/** `npm run proof soak`: 200 pods replaced in one cluster, after which the engine holds no more than before. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalEngine, type LocalCluster } from '../../src/engines/local/index.ts'
import { events } from '../../src/kube/index.ts'
import { loadSystem } from '../../src/systems/index.ts'

const REPLACEMENTS = 200
/** What the first ones add: compiled code, caches, and all that the recorders of events remember of pods. */
const WARM_UP = 260
/** More than the API keeps. */
const HISTORY = 1600
const NAMESPACE = 'simple-micro'
const DEPLOYMENTS = ['hello-service', 'time-service']
const REPLICAS = 5
const PATIENCE_MS = 60_000
const PODS = { apiVersion: 'v1', plural: 'pods', namespace: NAMESPACE }
/**
 * Measured with this tolerance: V8 takes from the system what it finds convenient. With full histories, the resident
 * memory is far more than an engine has that begins (`npm run bench local` tells of that one): only its growth counts.
 */
const ALLOWED = { 'heap (MB)': 2, 'resident, all full (MB)': 30 }

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

const entriesBelow = (folder: string): number => readdirSync(folder, { recursive: true }).length

const groupsOf = (id: string): number =>
  readdirSync('/sys/fs/cgroup', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      try {
        return readdirSync(join('/sys/fs/cgroup', name, 'remedium', id), {
          recursive: true,
          withFileTypes: true,
        })
      } catch {
        return []
      }
    })
    .filter((entry) => entry.isDirectory()).length

/** Of all network namespaces that this process holds. */
const linesInside = (...command: string[]): number =>
  readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith('net:') ? fd : undefined
      } catch {
        return undefined
      }
    })
    .filter((fd) => fd !== undefined)
    .map((fd) => {
      const args = [`--net=/proc/${process.pid}/fd/${fd}`, ...command]
      return spawnSync('nsenter', args, { encoding: 'utf8' }).stdout.trim().split('\n').length
    })
    .reduce((sum, count) => sum + count, 0)

/** They are kept for an hour, as in any cluster, and would hide what grows for ever. */
const deleteEvents = ({ cluster }: LocalCluster): void => {
  const { client } = cluster.resources
  for (const { metadata } of client.list(events)) client.delete(events, metadata.namespace!, metadata.name)
}

/**
 * The API keeps the last changes of every kind for watchers. Filled with changes of one object each, these histories
 * are as large the second time as the first.
 */
const fillHistories = ({ cluster }: LocalCluster): void => {
  const { client } = cluster.resources
  for (const kind of client.kinds()) {
    const [first] = client.list(kind)
    if (first === undefined) continue
    const { namespace = '', name } = first.metadata
    for (let turn = 0; turn < HISTORY; turn += 1) {
      const object = client.get(kind, namespace, name)!
      const annotations = { ...object.metadata.annotations, 'example.com/turn': String(turn) }
      client.update(kind, { ...object, metadata: { ...object.metadata, annotations } })
    }
  }
}

/** Each round frees what the one before has let go of. */
const collectGarbage = async (): Promise<void> => {
  for (let round = 0; round < 5; round += 1) {
    global.gc!()
    await pause(50)
  }
}

const measure = async (cluster: LocalCluster): Promise<Record<string, number>> => {
  const { folder, id } = cluster
  deleteEvents(cluster)
  fillHistories(cluster)
  // What a replaced pod leaves goes a moment after the pod.
  await pause(3000)
  await collectGarbage()
  const { rss, heapUsed } = process.memoryUsage()
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    files: entriesBelow(folder),
    cgroups: groupsOf(id),
    'network devices': linesInside('ip', '-o', 'link'),
    addresses: linesInside('ip', '-o', 'addr'),
    routes: linesInside('ip', 'route'),
    'heap (MB)': heapUsed / 1e6,
    'resident, all full (MB)': rss / 1e6,
  }
}

const isReady = (pod: unknown): boolean => {
  const { metadata, status } = pod as {
    metadata: { deletionTimestamp?: string }
    status: { conditions?: { type: string; status: string }[] }
  }
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  return metadata.deletionTimestamp === undefined && ready?.status === 'True'
}

/** Until there are just as many as there should be, and all are Ready. */
const untilReady = async ({ api }: LocalCluster): Promise<void> => {
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    const { items } = await api.list(PODS)
    if (items.length === DEPLOYMENTS.length * REPLICAS && items.every(isReady)) return
    if (performance.now() > deadline) {
      const unready = items.filter((pod) => !isReady(pod)).map(({ metadata }) => metadata.name)
      throw new Error(`of ${items.length} pods these are not ready: ${unready.join(', ')}`)
    }
    await pause(20)
  }
}

/** Deletes all pods of the system and waits until as many others are Ready. */
const replaceAll = async (cluster: LocalCluster): Promise<number> => {
  const { api } = cluster
  const { items } = await api.list(PODS)
  for (const { metadata } of items)
    await api.delete({ ...PODS, name: metadata.name }, { gracePeriodSeconds: 0 })
  await untilReady(cluster)
  return items.length
}

const replace = async (cluster: LocalCluster, count: number): Promise<void> => {
  const started = performance.now()
  for (let done = 0; done < count; ) {
    done += await replaceAll(cluster)
    console.log(`${done} of ${count} pods replaced, ${Math.round((performance.now() - started) / 1000)} s`)
  }
}

const state = mkdtempSync(join(tmpdir(), 'remedium-soak-'))
const engine = createLocalEngine({ state, onError: (where, error) => console.error(where, error) })
const cluster = await engine.provision(await loadSystem('simple-micro'))
try {
  for (const name of DEPLOYMENTS) {
    const deployments = { apiVersion: 'apps/v1', plural: 'deployments', namespace: NAMESPACE, name }
    // More of them at a time, and none that waits a second before it looks whether it is ready.
    const containers = [{ name, readinessProbe: { initialDelaySeconds: 0, periodSeconds: 1 } }]
    const spec = { replicas: REPLICAS, template: { spec: { containers } } }
    await cluster.api.patch(deployments, 'strategic', { spec })
  }
  await untilReady(cluster)
  await replace(cluster, WARM_UP)
  const before = await measure(cluster)
  await replace(cluster, REPLACEMENTS)
  const after = await measure(cluster)
  let grown = 0
  for (const [what, value] of Object.entries(after)) {
    const allowed = (ALLOWED as Record<string, number>)[what] ?? 0
    const isMore = value - before[what]! > allowed
    if (isMore) grown += 1
    const shown = (number: number): string => number.toFixed(Number.isInteger(number) ? 0 : 1).padStart(8)
    console.log(`${isMore ? 'GREW' : 'same'}  ${what.padEnd(24)} ${shown(before[what]!)} -> ${shown(value)}`)
  }
  process.exitCode = grown === 0 ? 0 : 1
} finally {
  await cluster.close()
  rmSync(state, { recursive: true, force: true })
}
