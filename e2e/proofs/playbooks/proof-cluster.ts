/** Two equal clusters: one listens on loopback for Ansible in real time, the other runs under a virtual clock. */
import { createRandom, createRealClock, createVirtualClock, runVirtually, type VirtualClock } from '#kit'
import { type Cluster, createCluster, createSimulatedRuntime } from '#platform/kube'
import type { ApiObject, KubeApi, ServedResource } from '#spec'

/** The user of the kubeconfig of a listening cluster. */
const ADMIN = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }
const SEED = 'playbooks'

export interface ProofCluster {
  readonly cluster: Cluster
  readonly api: KubeApi
  /** Runs work that waits for the clock of the cluster. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export interface VirtualCluster extends ProofCluster {
  readonly clock: VirtualClock
}

const create = (clock: Parameters<typeof createCluster>[0]['clock'], sockets: boolean): Cluster => {
  const random = createRandom(SEED)
  return createCluster({
    clock,
    random,
    sockets,
    // Every program starts at once, answers every probe, and supports a few commands.
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({
        clock,
        random,
        nodeIndex,
        images: () => ({
          present: true,
          run: () => ({
            startMs: 100,
            exec: ([program = '', ...args]) => {
              if (program === 'echo') return { exitCode: 0, stdout: `${args.join(' ')}\n` }
              return program === 'false' ? { exitCode: 1, stderr: 'failed\n' } : undefined
            },
            logs: (fromMs) => (fromMs === 0 ? [{ atMs: 0, text: 'started' }] : []),
          }),
        }),
      }),
  })
}

export const createListeningCluster = async (): Promise<
  ProofCluster & { kubeconfig: string; server: string; close(): Promise<void> }
> => {
  const cluster = create(createRealClock(), true)
  const server = await cluster.listen()
  return {
    cluster,
    api: cluster.apiFor(ADMIN),
    run: (work) => work(),
    kubeconfig: server.kubeconfig,
    server: server.url,
    async close() {
      await server.close()
      cluster.stop()
    },
  }
}

export const createVirtualCluster = (): VirtualCluster => {
  const clock = createVirtualClock(Date.now())
  const cluster = create(clock, false)
  return { cluster, clock, api: cluster.apiFor(ADMIN), run: (work) => runVirtually(clock, work) }
}

const findResource = (
  resources: readonly ServedResource[],
  { apiVersion, kind }: ApiObject,
): ServedResource => {
  const found = resources.find(
    ({ group, version, kind: served }) =>
      (group === '' ? version : `${group}/${version}`) === apiVersion && served === kind,
  )
  if (found === undefined) throw new Error(`no resource for ${apiVersion} ${kind}`)
  return found
}

/** Creates objects in order. */
export const createObjects = async (
  { api, cluster }: ProofCluster,
  objects: readonly object[],
): Promise<void> => {
  const resources = cluster.discovery.resources()
  for (const object of objects as readonly ApiObject[]) {
    const { plural, namespaced } = findResource(resources, object)
    const namespace = namespaced ? { namespace: object.metadata.namespace ?? 'default' } : {}
    await api.create({ apiVersion: object.apiVersion, plural, ...namespace }, object)
  }
}

const IGNORED = new Set([
  'events',
  'leases',
  'endpoints',
  'endpointslices',
  'persistentvolumes',
  'pods',
  'replicasets',
  'controllerrevisions',
])
const OWN_FIELDS = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields', 'selfLink']
/** Values that depend on the time, on keys, or on random numbers. */
const VARYING =
  /restartedAt|^clusterIPs?$|^nodePort$|^timeAdded$|^volumeName$|^kubernetes\.io\/service-account|^node\.alpha|^volumes\.kubernetes/

const declaredState = (object: ApiObject): object => {
  const { status: _, metadata, ...rest } = object
  const kept = Object.fromEntries(Object.entries(metadata).filter(([key]) => !OWN_FIELDS.includes(key)))
  return JSON.parse(
    JSON.stringify({ ...rest, metadata: kept }, (key, value) => (VARYING.test(key) ? 'varies' : value)),
  )
}

/** The objects that users declare, by name, without what the server and the controllers add. */
export const declaredObjects = async ({ api, cluster }: ProofCluster): Promise<Map<string, object>> => {
  const found = new Map<string, object>()
  for (const resource of cluster.discovery.resources()) {
    const { group, version, plural, verbs, isPreferred } = resource
    if (!isPreferred || !verbs.includes('list') || !verbs.includes('create') || IGNORED.has(plural)) continue
    const apiVersion = group === '' ? version : `${group}/${version}`
    for (const object of (await api.list({ apiVersion, plural })).items) {
      const { namespace = '', name, ownerReferences } = object.metadata
      if (
        ownerReferences !== undefined ||
        name === 'kube-root-ca.crt' ||
        (plural === 'services' && name === 'kubernetes') ||
        name.startsWith('system:')
      )
        continue
      if (namespace === 'kube-system' || plural === 'secrets') continue
      found.set(`${apiVersion} ${plural} ${namespace}/${name}`, declaredState(object))
    }
  }
  return found
}
