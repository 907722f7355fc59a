/** A simulated cluster with a small system, its baseline, and its reset; for tests. */
import { createRandom, createVirtualClock } from '#kit'
import {
  createCluster,
  createSimulatedRuntime,
  everydayImages,
  type KubeObject,
} from '#platform/kube/simulated'
import type { ResetReport } from '#spec'
import { takeBaseline } from '../baseline.ts'
import { type ResetContext, resetCluster } from '../reset-cluster.ts'
import { createTouchedPods } from '../touched-pods.ts'

export const NAMESPACE = 'small'
export const labels = { app: 'idle' }
export const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'nginx:1.25' }] },
}

/** The spec of a workload with its own selector. */
export const workloadSpec = (app: string): object => ({
  selector: { matchLabels: { app } },
  template: { ...template, metadata: { labels: { app } } },
})

/** An object to create; its namespace is `NAMESPACE` unless the metadata has another. */
interface Draft {
  readonly metadata: object
  readonly [field: string]: unknown
}

/** Parts of the reset that a test may replace. */
type Replaceable = Pick<ResetContext, 'contents' | 'keepData' | 'isTrusted'>

export const createSimulatedReset = () => {
  const clock = createVirtualClock()
  const random = createRandom('reset')
  const touched = createTouchedPods('nobody')
  const cluster = createCluster({
    onAudit: touched.record,
    clock,
    random,
    sockets: false,
    runtimeFor: (_, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: everydayImages }),
  })
  const { client, store } = cluster.resources
  const kindOf = (apiVersion: string, kind: string) => client.kindOf(apiVersion, kind)!
  const create = (apiVersion: string, kind: string, draft: Draft): KubeObject => {
    return client.create(kindOf(apiVersion, kind), {
      ...draft,
      metadata: { namespace: NAMESPACE, ...draft.metadata },
    }) as KubeObject
  }
  const list = (apiVersion: string, kind: string): readonly KubeObject[] =>
    client.list(kindOf(apiVersion, kind)) as readonly KubeObject[]
  clock.advance(1000)
  create('v1', 'Namespace', { metadata: { name: NAMESPACE, namespace: undefined } })
  const spec = { selector: { matchLabels: labels }, template }
  create('apps/v1', 'Deployment', { metadata: { name: 'idle' }, spec })
  create('apps/v1', 'DaemonSet', { metadata: { name: 'watcher' }, spec: workloadSpec('watcher') })
  create('v1', 'Service', { metadata: { name: 'idle' }, spec: { selector: labels, ports: [{ port: 80 }] } })
  return {
    clock,
    cluster,
    client,
    kindOf,
    create,
    list,
    /** Takes the baseline; returns the function that resets the cluster to it. */
    takeBaseline(
      onError: (error: Error) => void,
      stores: readonly string[] = [],
      replaced: Partial<Replaceable> = {},
    ): () => Promise<ResetReport> {
      clock.advance(30_000)
      const baseline = takeBaseline(client)
      return async () => {
        const resetting = resetCluster({
          client,
          store,
          clock,
          baseline,
          touched,
          contents: { changed: async () => [], restore: async () => {} },
          disks: { restore: async () => [] },
          processes: { find: () => undefined },
          healNodes: async () => {},
          registries: new Set<string>(),
          stores: new Set(stores),
          keepData: false,
          isTrusted: false,
          keepNewPods: false,
          signal: new AbortController().signal,
          onError,
          ...replaced,
        })
        let isOver = false
        resetting.then(
          () => (isOver = true),
          () => (isOver = true),
        )
        while (!isOver) {
          clock.advance(50)
          await new Promise(setImmediate)
        }
        return resetting
      }
    },
  }
}
