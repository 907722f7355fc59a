/** Lets a cluster live through what the recorded one did, second by second, on a virtual clock. */
import { createRandom, createVirtualClock } from '../../src/kit/index.ts'
import { createCluster, createSimulatedRuntime, type ListeningCluster } from '../../src/kube/index.ts'
import { type CollectedWatch, collectWatch } from './collect-watch.ts'
import { createRequester, type Requester } from './create-requester.ts'
import { collectionPath, LAST_APPLIED, type RecordedObject, recordedTables } from './recorded-objects.ts'
import { recordedPrograms } from './recorded-programs.ts'

/** What the API gave for the pods of the namespace. */
export interface Moment {
  list: any
  table: any
}

export interface RecordedStory {
  server: ListeningCluster
  request: Requester
  /** The pods, second by second towards the end: some of them change all the time. */
  moments: readonly Moment[]
  /** What a watch of the pods of `web` said of its restart. */
  restart: CollectedWatch
  close(): Promise<void>
}

/** How kubectl asks for a table. */
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const FIVE_MINUTES_MS = 300_000
const STORY_MS = 92_000

const NODE = {
  name: 'node1',
  hostIP: '10.244.0.1',
  podCIDR: '10.244.0.0/24',
  capacity: { cpu: '2', 'hugepages-1Gi': '0', 'hugepages-2Mi': '0', memory: '24682416Ki', pods: '110' },
}

/** The story ends in the near past, and no full five minutes lie within it: a CronJob waits for those. */
const beginning = (): number => {
  const latest = Date.now() - STORY_MS
  return latest - ((latest - 5000) % FIVE_MINUTES_MS)
}

export const createRecordedStory = async (): Promise<RecordedStory> => {
  const start = beginning()
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

  const send = async (method: string, path: string, body: unknown, type: string): Promise<void> => {
    const { code, body: answer } = await request(method, path, body, { 'content-type': type })
    if (code >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
  }

  /** As `kubectl apply` creates an object. */
  const apply = (plural: string, { metadata, ...rest }: RecordedObject): Promise<void> => {
    const text = metadata.annotations![LAST_APPLIED]!
    const manifest = JSON.parse(text)
    manifest.metadata.annotations[LAST_APPLIED] = text
    const path = `${collectionPath(plural, { ...rest, metadata } as RecordedObject)}?fieldManager=kubectl-client-side-apply`
    return send('POST', path, manifest, 'application/json')
  }

  const tables = recordedTables()
  const applied = tables.flatMap(({ plural, rows }) =>
    rows
      .filter(({ object }) => {
        const { annotations, ownerReferences } = object.metadata
        return annotations?.[LAST_APPLIED] !== undefined && ownerReferences === undefined
      })
      .map(({ object }) => ({ plural, object })),
  )
  const isFirst = ({ object }: { object: RecordedObject }): boolean => object.metadata.name === 'web'
  const web = '/apis/apps/v1/namespaces/default/deployments/web'

  clock.advance(2000)
  for (const { plural, object } of applied.filter(isFirst)) await apply(plural, object)
  clock.advance(6000)
  await send(
    'PATCH',
    `${web}?fieldManager=node-fetch`,
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
  for (const { plural, object } of applied.filter((one) => !isFirst(one))) await apply(plural, object)
  clock.advance(1000)
  await send(
    'POST',
    '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers?fieldManager=kubectl-autoscale',
    {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 80,
      },
    },
    'application/json',
  )
  clock.advance(2000)
  const restart = await collectWatch(
    server,
    '/api/v1/namespaces/default/pods?watch=true&labelSelector=app%3Dweb',
    TABLE,
  )
  const restartedAt = new Date(clock.now()).toISOString().replace('.000', '')
  await send(
    'PATCH',
    `${web}?fieldManager=kubectl-rollout`,
    {
      spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': restartedAt } } } },
    },
    'application/strategic-merge-patch+json',
  )
  clock.advance(15_000)
  const moments: Moment[] = []
  while (clock.now() < start + STORY_MS) {
    clock.advance(1000)
    const pods = '/api/v1/namespaces/default/pods'
    const { body: list } = await request('GET', pods)
    const { body: table } = await request('GET', pods, undefined, { accept: TABLE })
    moments.push({ list, table })
  }

  return {
    server,
    request,
    moments,
    restart,
    async close() {
      restart.close()
      await server.close()
      cluster.stop()
      if (errors.length > 0) throw new AggregateError(errors, 'Something went wrong inside the cluster.')
    },
  }
}
