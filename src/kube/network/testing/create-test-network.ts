/**
 * A real API, scheduler and kubelets over a real network, for tests that need root. Containers are modelled, but
 * their pods' namespaces are the kernel's: tests open sockets and start programs in them.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Pod, Service } from 'kubernetes-types/core/v1.d.ts'
import { onTestFinished } from 'vitest'
import { createRandom, createRealClock } from '../../../kit/index.ts'
import {
  bindInside,
  connectInside,
  listenInside,
  type NetworkNamespace,
  openNetworkNamespace,
  runProgram,
} from '../../../linux/index.ts'
import { type Cluster, createCluster, defaultNodes } from '../../cluster/index.ts'
import { pods, serviceAccounts, services } from '../../kinds/index.ts'
import type { Draft, Stored } from '../../meta/index.ts'
import type { Client, ContainerRuntime, PodAttachment } from '../../ports/index.ts'
import { createSimulatedRuntime } from '../../runtimes/index.ts'
import { type ClusterNetwork, createClusterNetwork, type NetworkNode } from '../index.ts'

export interface TestPod {
  readonly name: string
  readonly uid: string
  readonly ip: string
  readonly node: string
  readonly space: NetworkNamespace
}

export interface PodWishes {
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
  /** A pod, once it is Running and Ready. */
  run(name: string, wishes?: PodWishes): Promise<TestPod>
  service(name: string, spec: Service['spec'], namespace?: string): Stored<Service>
  /** What was written is in force. */
  settle(): Promise<void>
}

const UNTIL_MS = 10_000

export const until = async (done: () => boolean | Promise<boolean>, limit = UNTIL_MS): Promise<void> => {
  const end = performance.now() + limit
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`not within ${limit} ms: ${done}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The address is the network's, everything else a model. */
const overNetwork = (
  runtime: ContainerRuntime,
  network: ClusterNetwork,
  nodeName: string,
): ContainerRuntime => {
  const uids = new Map<string, string>()
  return {
    ...runtime,
    createSandbox: (pod, volumes, reply) =>
      runtime.createSandbox(pod, volumes, (made) => {
        if (!made.ok) reply(made)
        else
          network.attachPod(pod, nodeName, (attached) => {
            uids.set(made.value.id, pod.metadata.uid)
            reply(attached.ok ? { ok: true, value: { ...made.value, ip: attached.value.ip } } : attached)
          })
      }),
    removeSandbox: (sandbox, reply) => network.detachPod(uids.get(sandbox.id) ?? '', reply),
  }
}

export const attach = (network: ClusterNetwork, pod: Stored<Pod>, node: string): Promise<PodAttachment> =>
  new Promise((resolve, reject) =>
    network.attachPod(pod, node, (outcome) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error))),
  )

/** Where the node itself has its address, and pods that want the network of their host. */
export const spaceOfNode = async (network: ClusterNetwork, node: string): Promise<NetworkNamespace> => {
  const metadata = { namespace: 'default', name: `host-${node}`, uid: `host-${node}` }
  const pod = { metadata, spec: { hostNetwork: true, containers: [] }, status: {} }
  const space = openNetworkNamespace((await attach(network, pod as never, node)).namespacePath)
  onTestFinished(() => space.close())
  return space
}

export const networkNodes = (): NetworkNode[] =>
  defaultNodes().map(({ name, hostIP, podCIDR }) => ({ name, hostIP, podCIDR: podCIDR! }))

export const createTestNetwork = async (): Promise<TestNetwork> => {
  const [clock, random, errors] = [createRealClock(), createRandom('network'), [] as unknown[]]
  const onError = (where: string, error: unknown): unknown => errors.push(new Error(where, { cause: error }))
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
      overNetwork(
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
    async run(name, { namespace = 'default', labels = { app: name }, node = 'node1', spec = {} } = {}) {
      const draft: Draft<Pod> = {
        metadata: { name, namespace, labels },
        spec: { nodeName: node, containers: [{ name: 'c', image: 'c:1' }], ...spec },
      }
      await until(() => client.get(serviceAccounts, namespace, 'default') !== undefined)
      const { uid } = client.create(pods, draft).metadata
      const current = (): Stored<Pod> => client.get(pods, namespace, name)!
      await until(
        () =>
          current().status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ??
          false,
      )
      const attached = await attach(network, current(), node)
      const space = openNetworkNamespace(attached.namespacePath)
      spaces.push(space)
      return { name, uid, ip: attached.ip, node, space }
    },
    service: (name, spec, namespace = 'default') =>
      client.create(services, { metadata: { name, namespace }, spec: spec! }),
    // Controllers make endpoints of pods in tasks of their own: a moment for them, then for the rules.
    async settle() {
      await new Promise((resolve) => setTimeout(resolve, 60))
      await network.setNodeReachable('node1', true)
    },
  }
}

/** A server in the pod that says a word, and from where it was asked. */
export const serve = (pod: { space: NetworkNamespace }, port: number, word: string): Server => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    socket.end(`${word} to ${socket.remoteAddress?.replace('::ffff:', '')}`)
  }).listen({ fd: listenInside(pod.space, '0.0.0.0', port) })
  onTestFinished(() => {
    server.close()
  })
  return server
}

/** A server in the pod that sends back what it gets, for as long as the client likes. */
export const serveEcho = (pod: TestPod, port: number): void => {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).pipe(socket)
  }).listen({ fd: listenInside(pod.space, '0.0.0.0', port) })
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
}

/** A connection to `serveEcho`: what comes back for a word, or the code of the error, or `timeout`. */
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

/** What a server says, or the code of the error, or `timeout`. */
export const ask = async (
  space: NetworkNamespace,
  host: string,
  port: number,
  { from, patience = 400 }: { from?: string; patience?: number } = {},
): Promise<string> => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), patience)
  try {
    const socket = await connectInside(space, host, port, {
      signal: controller.signal,
      ...(from === undefined ? {} : { from }),
    })
    socket.end()
    return await text(socket)
  } catch (error) {
    return controller.signal.aborted ? 'timeout' : ((error as { code?: string }).code ?? String(error))
  } finally {
    clearTimeout(timer)
  }
}

/** Answers datagrams with a word. */
export const serveDatagrams = async (pod: TestPod, port: number, word: string): Promise<void> => {
  const socket = await bindInside(pod.space, '0.0.0.0', port)
  socket.on('message', (_message, { port: back, address }) => socket.send(word, back, address))
  onTestFinished(() => {
    socket.close()
  })
}

/** A socket of the pod: asks, and gives the answer, or the code of the error, or `timeout`. */
export const openDatagrams = async (
  pod: TestPod,
  host: string,
  port: number,
): Promise<() => Promise<string>> => {
  const socket = await bindInside(pod.space, '0.0.0.0', 0)
  onTestFinished(() => {
    socket.close()
  })
  // Errors of the network come only to a socket that has a partner.
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

export const askByDatagram = async (pod: TestPod, host: string, port: number): Promise<string> =>
  (await openDatagrams(pod, host, port))()

/** Whether one ping gets an answer. */
export const pings = async (space: NetworkNamespace, host: string): Promise<boolean> =>
  (await runProgram('ping', ['-c', '1', '-W', '1', host], { namespace: space })).exitCode === 0
