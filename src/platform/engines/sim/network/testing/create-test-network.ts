/** A modelled network with pods and Services, for tests under a virtual clock. */
import type { PodSpec, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import { createRandom, createVirtualClock, runVirtually, type VirtualClock } from '#kit'
import { endpointSlices, namespaces, pods, services } from '#platform/kube/kinds'
import { createResources } from '#platform/kube/resources'
import { type Client, defaultNodes } from '#platform/kube/simulated'
import type { ProgramConnection, ProgramNetwork } from '#spec'
import { createSimNetwork } from '../create-sim-network.ts'
import type { PodNetworkModel, ProcessNetwork, SimNetwork } from '../sim-network.ts'

export interface TestPod {
  readonly uid: string
  readonly ip: string
  readonly model: PodNetworkModel
  readonly process: ProcessNetwork
  readonly network: ProgramNetwork
}

export interface TestPodOptions {
  namespace?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  node?: string
  spec?: Partial<PodSpec>
}

export interface TestNetwork {
  readonly clock: VirtualClock
  readonly client: Client
  readonly network: SimNetwork
  /** Creates the object, attaches the pod and starts a program in it. */
  addPod(name: string, options?: TestPodOptions): TestPod
  /** Creates a Service whose endpoints are these pods; returns its address. */
  addService(name: string, spec: Partial<ServiceSpec>, backends?: readonly TestPod[]): string
  /** Replaces the endpoints of a Service. */
  setEndpoints(name: string, backends: readonly TestPod[]): void
  /** Runs the work under the virtual clock. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Runs the work; resolves with its result or the code of its error, and its duration in milliseconds. */
  time(work: () => Promise<unknown>): Promise<{ result: unknown; ms: number }>
}

const TARGET_PORT = 8080

/** Starts a server that answers each request with its content. */
export const serveEcho = (
  { network }: Pick<TestPod, 'network'>,
  port = TARGET_PORT,
  answerBytes = 300,
): void => {
  network.listen(port, () => async ({ content }) => ({ content, bytes: answerBytes }))
}

/** Sends a request of 300 bytes; resolves with the content of the answer. */
export const ask = async (
  connection: ProgramConnection,
  content: unknown = 'x',
  bytes = 300,
): Promise<unknown> => (await connection.exchange({ content, bytes })).content

export const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code ?? error

export const createTestNetwork = (seed = 'network'): TestNetwork => {
  const clock = createVirtualClock()
  const random = createRandom(seed)
  const resources = createResources({ clock, random: createRandom('objects') })
  const client = resources.clientFor({ username: 'tester', groups: ['system:masters'] }, 'tester')
  for (const name of ['kube-system', 'shop', 'other'])
    client.create(namespaces, { metadata: { name } } as never)
  const nodes = defaultNodes(2)
  const network = createSimNetwork({ clock, random, client, nodes })
  const lastHosts = new Map<string, number>()

  const run: TestNetwork['run'] = (work) => runVirtually(clock, work)

  const allocate = (node: string): string => {
    const host = (lastHosts.get(node) ?? 1) + 1
    lastHosts.set(node, host)
    return nodes.find(({ name }) => name === node)!.podCIDR.replace('0/24', String(host))
  }

  const sliceOf = (name: string, backends: readonly TestPod[]): object => {
    const { ports = [] } = client.get(services, 'shop', name)!.spec
    return {
      metadata: { name: `${name}-1`, namespace: 'shop', labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: backends.map(({ ip }) => ({ addresses: [ip], conditions: { ready: true } })),
      ports: ports.map(({ name: portName = '', targetPort = TARGET_PORT }) => ({
        name: portName,
        protocol: 'TCP',
        port: Number(targetPort),
      })),
    }
  }

  const setEndpoints: TestNetwork['setEndpoints'] = (name, backends) => {
    const existing = client.get(endpointSlices, 'shop', `${name}-1`)
    if (existing !== undefined) client.delete(endpointSlices, 'shop', `${name}-1`)
    client.create(endpointSlices, sliceOf(name, backends) as never)
  }

  return {
    clock,
    client,
    network,
    run,
    setEndpoints,
    addPod(name, { namespace = 'shop', labels = { app: name }, annotations, node = 'node1', spec } = {}) {
      const pod = client.create(pods, {
        metadata: { name, namespace, labels, ...(annotations === undefined ? {} : { annotations }) },
        spec: { nodeName: node, containers: [{ name: 'c', image: 'c:1' }], ...spec },
      } as never)
      const ip = allocate(node)
      const model = network.attachPod(pod, { ip, node })
      const process = model.startProcess()
      return { uid: pod.metadata.uid, ip: model.ip, model, process, network: process.network }
    },
    addService(name, spec, backends) {
      const { clusterIP } = client.create(services, {
        metadata: { name, namespace: 'shop' },
        spec: { ports: [{ port: 80, targetPort: TARGET_PORT }], ...spec },
      } as never).spec
      if (backends !== undefined) setEndpoints(name, backends)
      return clusterIP!
    },
    async time(work) {
      const start = clock.now()
      const result = await run(() => work().catch(codeOf))
      return { result, ms: clock.now() - start }
    },
  }
}
