/** Needs root: tests bandwidth limits in real network namespaces. */
import { createServer } from 'node:net'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import {
  connectInside,
  listenInside,
  type NetworkNamespace,
  openNetworkNamespace,
  runChecked,
} from '#machine/linux'
import type { Stored } from '#platform/kube/meta'
import { type ClusterNetwork, createClusterNetwork } from './index.ts'
import { attachPod, networkNodes } from './testing/create-test-network.ts'

const createPod = (name: string, annotations: Record<string, string>): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: '',
    annotations,
  },
  spec: { containers: [] },
  status: {},
})

const createBareNetwork = async (): Promise<ClusterNetwork> => {
  const network = await createClusterNetwork({
    clock: createRealClock(),
    random: createRandom(1),
    nodes: networkNodes(),
    marker: {},
    onError: (source, error) => {
      throw new Error(source, { cause: error })
    },
  })
  onTestFinished(() => network.close())
  return network
}

const openNamespace = (path: string): NetworkNamespace => {
  const space = openNetworkNamespace(path)
  onTestFinished(() => space.close())
  return space
}

/** Returns the milliseconds that a transfer from a server in one pod to a client in another takes. */
const timeTransfer = async (
  from: { ip: string; space: NetworkNamespace },
  to: { space: NetworkNamespace },
  bytes: number,
): Promise<number> => {
  const server = createServer((socket) => socket.on('error', () => {}).end(Buffer.alloc(bytes))).listen({
    fd: listenInside(from.space, '0.0.0.0', 8080),
  })
  const startedAt = performance.now()
  try {
    const socket = await connectInside(to.space, from.ip, 8080)
    let received = 0
    for await (const chunk of socket) received += (chunk as Buffer).length
    expect(received).toBe(bytes)
    return performance.now() - startedAt
  } finally {
    server.close()
  }
}

describe('the bandwidth annotation of a pod', () => {
  it.each<[string, 'server' | 'client', string]>([
    ['egress', 'server', 'kubernetes.io/egress-bandwidth'],
    ['ingress', 'client', 'kubernetes.io/ingress-bandwidth'],
  ])('limits the %s of the pod until it is detached', async (_, role, annotation) => {
    const network = await createBareNetwork()
    const addPod = async (name: string, annotations: Record<string, string> = {}) => {
      const { ip, namespacePath } = await attachPod(network, createPod(name, annotations), 'node1')
      return { ip, space: openNamespace(namespacePath) }
    }
    const [slow, first, second] = [
      await addPod('slow', { [annotation]: '200k' }),
      await addPod('one'),
      await addPod('other'),
    ]
    // At 25,000 bytes per second, 10,000 bytes take 400 ms, less what the bucket passes at once.
    const limited =
      role === 'server' ? await timeTransfer(slow, first, 10_000) : await timeTransfer(first, slow, 10_000)
    const unlimited =
      role === 'server' ? await timeTransfer(first, slow, 10_000) : await timeTransfer(slow, first, 10_000)
    expect(limited).toBeGreaterThan(250)
    expect(unlimited).toBeLessThan(limited / 2)
    expect(await timeTransfer(first, second, 10_000)).toBeLessThan(limited / 2)
    await new Promise((resolve) => network.detachPod('uid-slow', resolve))
    const listIfbDevices = async () =>
      (await runChecked('ip', ['-o', 'link', 'show', 'type', 'ifb'], { namespace: network.namespace })).trim()
    await expect.poll(listIfbDevices).toBe('')
  })

  it('is rejected if it is out of range', async () => {
    const network = await createBareNetwork()
    const pod = createPod('a', { 'kubernetes.io/ingress-bandwidth': '10' })
    await expect(attachPod(network, pod, 'node1')).rejects.toThrow('unreasonably small (< 1kbit)')
  })
})
