/**
 * Creates a cluster with a real network for tests that need root. Containers are simulated, but the pods' network
 * namespaces are real: tests open sockets and start programs in them.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Pod, Service } from 'kubernetes-types/core/v1.d.ts'
import { onTestFinished } from 'vitest'
import { createRandom, createRealClock, defined } from '#kit'
import {
  bindInside,
  connectInside,
  listenInside,
  type NetworkNamespace,
  openNetworkNamespace,
  runProgram,
} from '#machine/linux'
import { type Cluster, createCluster, defaultNodes } from '#platform/kube/cluster'
import type { NetworkNode } from '#platform/kube/connectivity'
import { pods, serviceAccounts, services } from '#platform/kube/kinds'
import type { Draft, Stored } from '#platform/kube/meta'
import type { Client, ContainerRuntime, PodAttachment } from '#platform/kube/ports'
import { createSimulatedRuntime } from '#platform/kube/runtimes/simulated'
import { type ClusterNetwork, createClusterNetwork } from '../index.ts'

export interface TestPod {
  readonly name: string
  readonly uid: string
  readonly ip: string
  readonly node: string
  readonly space: NetworkNamespace
}

export interface PodOptions {
  namespace?: string
  labels?: Record<string, string>
  node?: string
  spec?: Partial<Pod['spec'] & object>
}

export interface TestNetwork {
  readonly network: ClusterNetwork
  readonly cluster: Cluster
  readonly client: Client
  readonly errors: readonly unknown[]
  /** Creates a pod and waits until it is Ready. */
  runPod(name: string, options?: PodOptions): Promise<TestPod>
  createService(name: string, spec: Service['spec'], namespace?: string): Stored<Service>
  /** Resolves when all written objects are in effect. */
  settle(): Promise<void>
}

const TIMEOUT_MS = 10_000

export const waitUntil = async (
  condition: () => boolean | Promise<boolean>,
  limitMs = TIMEOUT_MS,
): Promise<void> => {
  const end = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`condition not met within ${limitMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Returns the simulated runtime with sandboxes that get their addresses from the network. */
const withNetwork = (
  runtime: ContainerRuntime,
  network: ClusterNetwork,
  nodeName: string,
): ContainerRuntime => {
  const uids = new Map<string, string>()
  return {
    ...runtime,
    createSandbox: (pod, volumes, reply) =>
      runtime.createSandbox(pod, volumes, (created) => {
        if (!created.ok) reply(created)
        else
          network.attachPod(pod, nodeName, (attached) => {
            uids.set(created.value.id, pod.metadata.uid)
            reply(attached.ok ? { ok: true, value: { ...created.value, ip: attached.value.ip } } : attached)
          })
      }),
    removeSandbox: (sandbox, reply) => network.detachPod(uids.get(sandbox.id) ?? '', reply),
  }
}

export const attachPod = (network: ClusterNetwork, pod: Stored<Pod>, node: string): Promise<PodAttachment> =>
  new Promise((resolve, reject) =>
    network.attachPod(pod, node, (outcome) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error))),
  )

/** Opens the network namespace of a node. */
export const openNodeNamespace = async (network: ClusterNetwork, node: string): Promise<NetworkNamespace> => {
  const metadata = { namespace: 'default', name: `host-${node}`, uid: `host-${node}` }
  const pod = { metadata, spec: { hostNetwork: true, containers: [] }, status: {} }
  const space = openNetworkNamespace((await attachPod(network, pod as never, node)).namespacePath)
  onTestFinished(() => space.close())
  return space
}

export const networkNodes = (): NetworkNode[] =>
  defaultNodes().map(({ name, hostIP, podCIDR }) => ({ name, hostIP, podCIDR: podCIDR! }))

export const createTestNetwork = async (): Promise<TestNetwork> => {
  const [clock, random, errors] = [createRealClock(), createRandom('network'), [] as unknown[]]
  const onError = (source: string, error: unknown): unknown =>
    errors.push(new Error(source, { cause: error }))
  const nodes = networkNodes()
  const network = await createClusterNetwork({
    clock,
    random,
    nodes,
    marker: { REMEDIUM_CLUSTER: 'test' },
    onError,
  })
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    nodes: defaultNodes(),
    runtimeFor: (node, nodeIndex) =>
      withNetwork(
        createSimulatedRuntime({ clock, random, nodeIndex, images: () => ({ present: true }) }),
        network,
        node.name,
      ),
  })
  const { client } = cluster.resources
  network.follow(client)
  const spaces: NetworkNamespace[] = []
  onTestFinished(async () => {
    cluster.stop()
    for (const space of spaces) space.close()
    await network.close()
    if (errors.length > 0) throw new AggregateError(errors, 'errors inside the network')
  })

  return {
    network,
    cluster,
    client,
    errors,
    async runPod(name, { namespace = 'default', labels = { app: name }, node = 'node1', spec = {} } = {}) {
      const draft: Draft<Pod> = {
        metadata: { name, namespace, labels },
        spec: { nodeName: node, containers: [{ name: 'c', image: 'c:1' }], ...spec },
      }
      await waitUntil(() => client.get(serviceAccounts, namespace, 'default') !== undefined)
      const { uid } = client.create(pods, draft).metadata
      const current = (): Stored<Pod> => client.get(pods, namespace, name)!
      await waitUntil(
        () =>
          current().status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ??
          false,
      )
      const attached = await attachPod(network, current(), node)
      const space = openNetworkNamespace(attached.namespacePath)
      spaces.push(space)
      return { name, uid, ip: attached.ip, node, space }
    },
    createService: (name, spec, namespace = 'default') =>
      client.create(services, { metadata: { name, namespace }, spec: spec! }),
    // Waits for the controllers to write endpoints, then for the rules.
    async settle() {
      await new Promise((resolve) => setTimeout(resolve, 60))
      await network.setNodeReachable('node1', true)
    },
  }
}

/** Starts a server in the pod that answers with a fixed reply and the client's address. */
export const serve = (pod: { space: NetworkNamespace }, port: number, reply: string): Server => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    socket.end(`${reply} to ${socket.remoteAddress?.replace('::ffff:', '')}`)
  }).listen({ fd: listenInside(pod.space, '0.0.0.0', port) })
  onTestFinished(() => {
    server.close()
  })
  return server
}

/** Starts an echo server in the pod. */
export const serveEcho = (pod: TestPod, port: number): void => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).pipe(socket)
  }).listen({ fd: listenInside(pod.space, '0.0.0.0', port) })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
}

/** Connects to `serveEcho`; the returned function resolves with the echo, an error code or `timeout`. */
export const openEcho = async (
  pod: TestPod,
  host: string,
  port: number,
): Promise<(word: string) => Promise<string>> => {
  const socket = await connectInside(pod.space, host, port)
  socket.on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
  })
  return (word) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve('timeout'), 400)
      socket.once('error', ({ code }: NodeJS.ErrnoException) => {
        clearTimeout(timer)
        resolve(code ?? '')
      })
      socket.once('data', (chunk: Buffer) => {
        clearTimeout(timer)
        resolve(chunk.toString())
      })
      socket.write(word)
    })
}

/** Resolves with the server's answer, an error code or `timeout`. */
export const connectTo = async (
  space: NetworkNamespace,
  host: string,
  port: number,
  { from, timeoutMs = 400 }: { from?: string; timeoutMs?: number } = {},
): Promise<string> => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  try {
    const socket = await connectInside(space, host, port, {
      signal: controller.signal,
      ...defined({ from }),
    })
    socket.end()
    return await text(socket)
  } catch (error) {
    return controller.signal.aborted ? 'timeout' : ((error as { code?: string }).code ?? String(error))
  } finally {
    clearTimeout(timer)
  }
}

/** Starts a UDP server in the pod that answers with a fixed reply. */
export const serveDatagrams = async (pod: TestPod, port: number, reply: string): Promise<void> => {
  const socket = await bindInside(pod.space, '0.0.0.0', port)
  socket.on('message', (_message, { port: clientPort, address }) => socket.send(reply, clientPort, address))
  onTestFinished(() => {
    socket.close()
  })
}

/** Opens a UDP socket in the pod; the returned function resolves with an answer, an error code or `timeout`. */
export const openDatagrams = async (
  pod: TestPod,
  host: string,
  port: number,
): Promise<() => Promise<string>> => {
  const socket = await bindInside(pod.space, '0.0.0.0', 0)
  onTestFinished(() => {
    socket.close()
  })
  // Only a connected socket receives ICMP errors.
  await new Promise<void>((resolve) => socket.connect(port, host, resolve))
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => settle('timeout'), 400)
      const settle = (answer: string): void => {
        clearTimeout(timer)
        socket.removeAllListeners('message').removeAllListeners('error')
        resolve(answer)
      }
      socket.once('message', (message) => settle(message.toString()))
      socket.once('error', (error) => settle((error as { code?: string }).code ?? String(error)))
      socket.send('question')
    })
}

export const sendDatagram = async (pod: TestPod, host: string, port: number): Promise<string> =>
  (await openDatagrams(pod, host, port))()

/** Whether a ping is answered. */
export const canPing = async (space: NetworkNamespace, host: string): Promise<boolean> =>
  (await runProgram('ping', ['-c', '1', '-W', '1', host], { namespace: space })).exitCode === 0
