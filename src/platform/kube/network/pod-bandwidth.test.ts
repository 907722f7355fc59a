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
import { attach, networkNodes } from './testing/create-test-network.ts'

const podWith = (name: string, annotations: Record<string, string>): Stored<Pod> => ({
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

const bareNetwork = async (): Promise<ClusterNetwork> => {
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

const spaceAt = (path: string): NetworkNamespace => {
  const space = openNetworkNamespace(path)
  onTestFinished(() => space.close())
  return space
}

/** The milliseconds to transfer this many bytes from a server in one pod to a client in another. */
const transfer = async (
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
  ])('limits its %s until the pod is detached', async (_, role, annotation) => {
    const network = await bareNetwork()
    const join = async (name: string, annotations: Record<string, string> = {}) => {
      const { ip, namespacePath } = await attach(network, podWith(name, annotations), 'node1')
      return { ip, space: spaceAt(namespacePath) }
    }
    const [slow, first, second] = [
      await join('slow', { [annotation]: '200k' }),
      await join('one'),
      await join('other'),
    ]
    // 10000 bytes at 25000 per second; the bucket passes the first bytes at once.
    const limited =
      role === 'server' ? await transfer(slow, first, 10_000) : await transfer(first, slow, 10_000)
    const unlimited =
      role === 'server' ? await transfer(first, slow, 10_000) : await transfer(slow, first, 10_000)
    expect(limited).toBeGreaterThan(250)
    expect(unlimited).toBeLessThan(limited / 2)
    expect(await transfer(first, second, 10_000)).toBeLessThan(limited / 2)
    await new Promise((resolve) => network.detachPod('uid-slow', resolve))
    const shaped = async () =>
      (await runChecked('ip', ['-o', 'link', 'show', 'type', 'ifb'], { namespace: network.namespace })).trim()
    await expect.poll(shaped).toBe('')
  })

  it('is rejected if it is out of range', async () => {
    const network = await bareNetwork()
    const pod = podWith('a', { 'kubernetes.io/ingress-bandwidth': '10' })
    await expect(attach(network, pod, 'node1')).rejects.toThrow('unreasonably small (< 1kbit)')
  })
})
