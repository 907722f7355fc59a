/** Needs root: tests pods in real network namespaces. */
import { readdirSync, readlinkSync } from 'node:fs'
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import { type NetworkNamespace, openNetworkNamespace, runChecked, runProgram } from '#machine/linux'
import type { Stored } from '#platform/kube/meta'
import { type ClusterNetwork, createClusterNetwork } from './index.ts'
import {
  attachPod,
  canPing,
  connectTo,
  createTestNetwork,
  networkNodes,
  openNodeNamespace,
  serve,
} from './testing/create-test-network.ts'

const createPod = (name: string, spec: Partial<PodSpec> = {}): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: '' },
  spec: { containers: [], ...spec },
  status: {},
})

const createBareNetwork = async (podCIDR?: string, hasRandomAddresses = false): Promise<ClusterNetwork> => {
  const network = await createClusterNetwork({
    clock: createRealClock(),
    random: createRandom(1),
    hasRandomAddresses,
    nodes: networkNodes().map((node, index) =>
      podCIDR === undefined || index > 0 ? node : { ...node, podCIDR },
    ),
    marker: {},
    onError: (source, error) => {
      throw new Error(source, { cause: error })
    },
  })
  onTestFinished(() => network.close())
  return network
}

const detach = (network: ClusterNetwork, uid: string): Promise<boolean> =>
  new Promise((resolve) => network.detachPod(uid, ({ ok }) => resolve(ok)))

const openNamespace = (path: string): NetworkNamespace => {
  const space = openNetworkNamespace(path)
  onTestFinished(() => space.close())
  return space
}

/** Counts the descriptors of this process that refer to a network namespace. */
const countOpenNamespaces = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('net:')
    } catch {
      return false
    }
  }).length

/** Waits for a retransmission: the first ICMP error may be lost, because sending locks the socket. */
const connectUnreachable = (space: NetworkNamespace, host: string, port: number): Promise<string> =>
  connectTo(space, host, port, { timeoutMs: 3500 })

describe('an attached pod', () => {
  it('sees no interface index that counts the pods before it', async () => {
    const network = await createBareNetwork(undefined, true)
    const indexOf = async (name: string): Promise<number> => {
      const { namespacePath } = await attachPod(network, createPod(name), 'node1')
      const stdout = await runChecked('ip', ['link', 'show', 'eth0'], {
        namespace: openNamespace(namespacePath),
      })
      return Number(/@if(\d+)/.exec(stdout)?.[1])
    }
    const indices = [await indexOf('a'), await indexOf('b'), await indexOf('c'), await indexOf('d')]
    const steps = indices.slice(1).map((index, position) => index - indices[position]!)
    expect(steps.some((step) => step < 0)).toBe(true)
    expect(Math.min(...steps.map(Math.abs))).toBeGreaterThan(100)
  })

  it('is reachable from pods, nodes and the API server, but reaches nothing outside the cluster', async () => {
    const { runPod, network } = await createTestNetwork()
    const [a, b] = [await runPod('a'), await runPod('b', { node: 'node3' })]
    expect([a.ip, b.ip]).toEqual(['10.244.0.2', '10.244.2.2'])
    serve(b, 8080, 'b')
    expect(await connectTo(a.space, b.ip, 8080)).toBe(`b to ${a.ip}`)
    const node = await openNodeNamespace(network, 'node1')
    expect(await connectTo(node, b.ip, 8080)).toBe('b to 172.18.0.2')
    expect(await connectTo(network.namespace, b.ip, 8080)).toBe('b to 172.18.0.1')
    expect(await connectTo(a.space, b.ip, 8081)).toBe('ECONNREFUSED')
    expect(await canPing(a.space, b.ip)).toBe(true)
    for (const space of [a.space, node, network.namespace])
      for (const address of ['192.0.2.1', '10.244.1.77', '169.254.169.254'])
        expect(await connectUnreachable(space, address, 80)).toMatch(/ENETUNREACH|EHOSTUNREACH/)
  })

  it('is removed completely, even if it has deleted its device', async () => {
    const network = await createBareNetwork('10.244.0.0/30')
    const before = countOpenNamespaces()
    const { ip, namespacePath } = await attachPod(network, createPod('a'), 'node1')
    const space = openNetworkNamespace(namespacePath)
    await runChecked('ip', ['link', 'delete', 'eth0'], { namespace: space })
    space.close()
    expect(await detach(network, 'uid-a')).toBe(true)
    expect(countOpenNamespaces()).toBe(before)
    expect((await attachPod(network, createPod('b'), 'node1')).ip).toBe(ip)
  })

  it('lets unprivileged users ping and listen on every port', async () => {
    const network = await createBareNetwork()
    const [a, b] = [
      await attachPod(network, createPod('a'), 'node1'),
      await attachPod(network, createPod('b'), 'node1'),
    ]
    const runAsNobody = (program: string, ...args: string[]): Promise<{ exitCode: number; stdout: string }> =>
      runProgram('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', program, ...args], {
        namespace: openNamespace(a.namespacePath),
      })
    expect((await runAsNobody('ping', '-c', '1', '-W', '1', b.ip)).exitCode).toBe(0)
    const listen =
      "const s = require('net').createServer().listen(80, () => { console.log('listening'); s.close() })"
    expect((await runAsNobody(process.execPath, '-e', listen)).stdout).toBe('listening\n')
    expect(await runChecked('ip', ['-o', 'link'], { namespace: openNamespace(a.namespacePath) })).toMatch(
      /2: eth0@\S+ <\S+> mtu 1500 /,
    )
  })

  it('is reachable on its loopback interface and from its node', async () => {
    const network = await createBareNetwork()
    const { ip, namespacePath } = await attachPod(network, createPod('a'), 'node2')
    serve({ space: openNamespace(namespacePath) }, 8080, 'a')
    const readAll = async (socket: AsyncIterable<Buffer>): Promise<string> => {
      let all = ''
      for await (const chunk of socket) all += chunk
      return all
    }
    expect(await readAll(await network.connectLocal('uid-a', 8080))).toBe('a to 127.0.0.1')
    await expect(network.connectLocal('uid-a', 8081)).rejects.toThrow('ECONNREFUSED')
    await expect(network.connectLocal('uid-z', 8080)).rejects.toThrow('not attached to the network')
    const { signal } = new AbortController()
    expect(await readAll(await network.connectFromNode('node2', ip, 8080, signal))).toBe('a to 172.18.0.3')
    await expect(network.connectFromNode('node2', 'example.org', 80, signal)).rejects.toThrow('no such host')
    await expect(network.connectFromNode('node2', ip, 8080, AbortSignal.abort())).rejects.toThrow(
      'the connection was aborted',
    )
  })

  it('has the address of its node if it uses hostNetwork', async () => {
    const network = await createBareNetwork()
    const attachHostPod = (name: string, node: string) =>
      attachPod(network, createPod(name, { hostNetwork: true }), node)
    const [first, second, onOtherNode] = [
      await attachHostPod('one', 'node1'),
      await attachHostPod('same', 'node1'),
      await attachHostPod('other', 'node2'),
    ]
    expect([first.ip, second.ip, onOtherNode.ip]).toEqual(['172.18.0.2', '172.18.0.2', '172.18.0.3'])
    expect(second.namespacePath).toBe(first.namespacePath)
    const pod = openNamespace((await attachPod(network, createPod('a'), 'node1')).namespacePath)
    // The pods use the same port on every node, as those of a DaemonSet do.
    serve({ space: openNamespace(first.namespacePath) }, 9100, 'one')
    serve({ space: openNamespace(onOtherNode.namespacePath) }, 9100, 'other')
    expect(await connectTo(pod, first.ip, 9100)).toBe('one to 10.244.0.2')
    expect(await connectTo(pod, onOtherNode.ip, 9100)).toBe('other to 10.244.0.2')
    expect(await connectTo(openNamespace(first.namespacePath), onOtherNode.ip, 9100)).toBe(
      'other to 172.18.0.2',
    )
    expect(await detach(network, 'uid-one')).toBe(true)
    expect(await connectTo(pod, first.ip, 9100)).toBe('one to 10.244.0.2')
  })

  it('is unreachable after it is detached, and its address is not reused immediately', async () => {
    const network = await createBareNetwork()
    const [a, b] = [
      await attachPod(network, createPod('a'), 'node1'),
      await attachPod(network, createPod('b'), 'node1'),
    ]
    expect(await attachPod(network, createPod('b'), 'node1')).toBe(b)
    // Keeps the namespace open, like a container that has not ended yet.
    const heldNamespace = openNamespace(b.namespacePath)
    serve({ space: heldNamespace }, 80, 'b')
    const space = openNamespace(a.namespacePath)
    expect(await connectTo(space, b.ip, 80)).toBe('b to 10.244.0.2')
    expect(await detach(network, 'uid-b')).toBe(true)
    expect(await connectUnreachable(space, b.ip, 80)).toMatch(/ENETUNREACH|EHOSTUNREACH/)
    expect(await detach(network, 'uid-b')).toBe(true)
    expect((await attachPod(network, createPod('c'), 'node1')).ip).toBe('10.244.0.4')
  })

  it('is rejected while the node has no free address', async () => {
    const network = await createBareNetwork('10.244.7.0/29')
    const names = ['a', 'b', 'c', 'd', 'e']
    const ips = await Promise.all(
      names.map(async (name) => (await attachPod(network, createPod(name), 'node1')).ip),
    )
    expect(ips).toEqual([2, 3, 4, 5, 6].map((last) => `10.244.7.${last}`))
    await expect(attachPod(network, createPod('f'), 'node1')).rejects.toThrow(
      'plugin type="host-local" failed (add): no IP addresses available in range set: 10.244.7.1-10.244.7.6',
    )
    await detach(network, 'uid-c')
    expect((await attachPod(network, createPod('f'), 'node1')).ip).toBe('10.244.7.4')
    await expect(attachPod(network, createPod('g'), 'node9')).rejects.toThrow('no node node9')
  })
})

describe('networks', () => {
  it('attach fifty pods at once, and leave nothing on the host', async () => {
    const before = {
      links: await runChecked('ip', ['-o', 'link']),
      rules: await runChecked('nft', ['list', 'ruleset']),
      forwarding: await runChecked('cat', ['/proc/sys/net/ipv4/ip_forward']),
      held: countOpenNamespaces(),
    }
    const network = await createBareNetwork()
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        attachPod(network, createPod(`p${index}`), `node${(index % 3) + 1}`),
      ),
    )
    expect(new Set(all.map(({ ip }) => ip)).size).toBe(50)
    expect(countOpenNamespaces()).toBe(before.held + 1 + 3 + 50)
    const [first, last] = [openNamespace(all[0]!.namespacePath), all[49]!]
    expect(await canPing(first, last.ip)).toBe(true)
    expect(await runChecked('ip', ['-o', 'link'])).toBe(before.links)
    await network.close()
    await expect(attachPod(network, createPod('late'), 'node1')).rejects.toThrow('the network is closed')
    first.close()
    expect({
      links: await runChecked('ip', ['-o', 'link']),
      rules: await runChecked('nft', ['list', 'ruleset']),
      forwarding: await runChecked('cat', ['/proc/sys/net/ipv4/ip_forward']),
      held: countOpenNamespaces(),
    }).toEqual(before)
  })

  it('with the same addresses are isolated', async () => {
    const [first, second] = [await createBareNetwork(), await createBareNetwork()]
    const a = await attachPod(first, createPod('a'), 'node1')
    const b = await attachPod(first, createPod('b'), 'node1')
    const secondPod = await attachPod(second, createPod('other'), 'node1')
    expect(secondPod.ip).toBe(a.ip)
    serve({ space: openNamespace(b.namespacePath) }, 80, 'b')
    serve({ space: first.namespace }, 6443, 'one')
    expect(await connectTo(openNamespace(a.namespacePath), b.ip, 80)).toBe('b to 10.244.0.2')
    expect(await connectUnreachable(openNamespace(secondPod.namespacePath), b.ip, 80)).toMatch(
      /ENETUNREACH|EHOSTUNREACH/,
    )
    expect(await connectTo(openNamespace(a.namespacePath), '172.18.0.1', 6443)).toBe('one to 10.244.0.2')
    expect(await connectTo(openNamespace(secondPod.namespacePath), '172.18.0.1', 6443)).toBe('ECONNREFUSED')
  })
})
