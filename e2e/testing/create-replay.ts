/** Replays the actions that were made on the recorded cluster, with a virtual clock. */
import { createRandom, createVirtualClock, type VirtualClock } from '#kit'
import { createCluster, createSimulatedRuntime, type ListeningCluster } from '#platform/kube'
import { type CollectedWatch, collectWatch } from './collect-watch.ts'
import { createRequester, type Requester } from './create-requester.ts'
import { collectionPath, LAST_APPLIED, type RecordedObject, recordedTables } from './recorded-objects.ts'
import { recordedPrograms } from './recorded-programs.ts'

/** The pods of the namespace at one moment. */
export interface Moment {
  list: any
  table: any
}

export interface Replay {
  server: ListeningCluster
  request: Requester
  /** The pods in each of the last seconds, because some of them change all the time. */
  moments: readonly Moment[]
  /** A watch of the pods of `web` during its restart. */
  restart: CollectedWatch
  close(): Promise<void>
}

/** The media type with which kubectl requests a table. */
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const FIVE_MINUTES_MS = 300_000
const REPLAY_MS = 92_000

const PODS = '/api/v1/namespaces/default/pods'
const WEB = '/apis/apps/v1/namespaces/default/deployments/web'

const AUTOSCALER = {
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 3,
    targetCPUUtilizationPercentage: 80,
  },
}

const NODE = {
  name: 'node1',
  hostIP: '10.244.0.1',
  podCIDR: '10.244.0.0/24',
  capacity: { cpu: '2', 'hugepages-1Gi': '0', 'hugepages-2Mi': '0', memory: '24682416Ki', pods: '110' },
}

/**
 * Returns a start time such that the replay ends in the near past, and contains no multiple of five minutes, at which a CronJob
 * would run.
 */
const chooseStart = (): number => {
  const latest = Date.now() - REPLAY_MS
  return latest - ((latest - 5000) % FIVE_MINUTES_MS)
}

type Send = (method: string, path: string, body: unknown, type: string) => Promise<void>

const createSend =
  (request: Requester): Send =>
  async (method, path, body, type) => {
    const { code, body: response } = await request(method, path, body, { 'content-type': type })
    if (code >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response)}`)
  }

interface AppliedObject {
  readonly plural: string
  readonly object: RecordedObject
}

/** Lists the objects that were created by `kubectl apply`. */
const listApplied = (): AppliedObject[] =>
  recordedTables().flatMap(({ plural, rows }) =>
    rows
      .filter(({ object }) => {
        const { annotations, ownerReferences } = object.metadata
        return annotations?.[LAST_APPLIED] !== undefined && ownerReferences === undefined
      })
      .map(({ object }) => ({ plural, object })),
  )

/** Creates an object as `kubectl apply` does. */
const apply = (send: Send, { plural, object }: AppliedObject): Promise<void> => {
  const text = object.metadata.annotations![LAST_APPLIED]!
  const manifest = JSON.parse(text)
  manifest.metadata.annotations[LAST_APPLIED] = text
  const path = `${collectionPath(plural, object)}?fieldManager=kubectl-client-side-apply`
  return send('POST', path, manifest, 'application/json')
}

/** Replays the actions before the restart of `web`, with their pauses. */
const replayUntilRestart = async (clock: VirtualClock, send: Send): Promise<void> => {
  const applied = listApplied()
  const isWeb = ({ object }: AppliedObject): boolean => object.metadata.name === 'web'
  clock.advance(2000)
  for (const object of applied.filter(isWeb)) await apply(send, object)
  clock.advance(6000)
  await send(
    'PATCH',
    `${WEB}?fieldManager=node-fetch`,
    { metadata: { labels: { q: '1' } } },
    'application/merge-patch+json',
  )
  await send(
    'PATCH',
    '/api/v1/namespaces/default/configmaps/o1?fieldManager=me',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'o1' }, data: { a: 'b' } },
    'application/apply-patch+yaml',
  )
  clock.advance(34_000)
  for (const object of applied.filter((entry) => !isWeb(entry))) await apply(send, object)
  clock.advance(1000)
  await send(
    'POST',
    '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers?fieldManager=kubectl-autoscale',
    AUTOSCALER,
    'application/json',
  )
  clock.advance(2000)
}

/** Sends the same request as `kubectl rollout restart deployment web`. */
const restartWeb = (send: Send, now: number): Promise<void> => {
  const restartedAt = new Date(now).toISOString().replace('.000', '')
  const annotations = { 'kubectl.kubernetes.io/restartedAt': restartedAt }
  return send(
    'PATCH',
    `${WEB}?fieldManager=kubectl-rollout`,
    { spec: { template: { metadata: { annotations } } } },
    'application/strategic-merge-patch+json',
  )
}

const recordMoments = async (clock: VirtualClock, request: Requester, end: number): Promise<Moment[]> => {
  const moments: Moment[] = []
  while (clock.now() < end) {
    clock.advance(1000)
    const { body: list } = await request('GET', PODS)
    const { body: table } = await request('GET', PODS, undefined, { accept: TABLE })
    moments.push({ list, table })
  }
  return moments
}

export const createReplay = async (): Promise<Replay> => {
  const start = chooseStart()
  const clock = createVirtualClock(start)
  const random = createRandom('recorded')
  const errors: unknown[] = []
  const cluster = createCluster({
    clock,
    random,
    nodes: [NODE],
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: recordedPrograms }),
    onError: (where, error) => errors.push(new Error(`in ${where}`, { cause: error })),
  })
  const server = await cluster.listen()
  const request = createRequester(server)
  const send = createSend(request)
  await replayUntilRestart(clock, send)
  const restart = await collectWatch(server, `${PODS}?watch=true&labelSelector=app%3Dweb`, TABLE)
  await restartWeb(send, clock.now())
  clock.advance(15_000)
  const moments = await recordMoments(clock, request, start + REPLAY_MS)
  return {
    server,
    request,
    moments,
    restart,
    async close() {
      restart.close()
      await server.close()
      cluster.stop()
      if (errors.length > 0) throw new AggregateError(errors, 'the cluster had internal errors')
    },
  }
}
