/** Needs root: pods in the network of the kernel. */
import { readdirSync, readlinkSync } from 'node:fs'
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandom, createRealClock } from '../../kit/index.ts'
import { type NetworkNamespace, openNetworkNamespace, runChecked, runProgram } from '../../linux/index.ts'
import type { Stored } from '../meta/index.ts'
import { type ClusterNetwork, createClusterNetwork } from './index.ts'
import {
  ask,
  attach,
  createTestNetwork,
  networkNodes,
  pings,
  serve,
  spaceOfNode,
} from './testing/create-test-network.ts'

const podNamed = (name: string, spec: Partial<PodSpec> = {}): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: '' },
  spec: { containers: [], ...spec },
  status: {},
})

const bareNetwork = async (podCIDR?: string): Promise<ClusterNetwork> => {
  const network = await createClusterNetwork({
    clock: createRealClock(),
    random: createRandom(1),
    nodes: networkNodes().map((node, index) =>
      podCIDR === undefined || index > 0 ? node : { ...node, podCIDR },
    ),
    marker: {},
    onError: (where, error) => {
      throw new Error(where, { cause: error })
    },
  })
  onTestFinished(() => network.close())
  return network
}

const detach = (network: ClusterNetwork, uid: string): Promise<boolean> =>
  new Promise((resolve) => network.detachPod(uid, ({ ok }) => resolve(ok)))

const spaceAt = (path: string): NetworkNamespace => {
  const space = openNetworkNamespace(path)
  onTestFinished(() => space.close())
  return space
}

/** Descriptors of this process that hold a network namespace. */
const heldNamespaces = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('net:')
    } catch {
      return false
    }
  }).length

/** The kernel takes the bad news only with the second packet where the first one still occupies the socket. */
const askInVain = (space: NetworkNamespace, host: string, port: number): Promise<string> =>
  ask(space, host, port, { patience: 3500 })

describe('a pod in the network', () => {
  it('meets pods of every node, its node and nobody outside', async () => {
    const { run, network } = await createTestNetwork()
    const [a, b] = [await run('a'), await run('b', { node: 'node3' })]
    expect([a.ip, b.ip]).toEqual(['10.244.0.2', '10.244.2.2'])
    serve(b, 8080, 'b')
    expect(await ask(a.space, b.ip, 8080)).toBe(`b to ${a.ip}`)
    const node = await spaceOfNode(network, 'node1')
    expect(await ask(node, b.ip, 8080)).toBe('b to 172.18.0.2')
    expect(await ask(network.namespace, b.ip, 8080)).toBe('b to 172.18.0.1')
    expect(await ask(a.space, b.ip, 8081)).toBe('ECONNREFUSED')
    expect(await pings(a.space, b.ip)).toBe(true)
    for (const space of [a.space, node, network.namespace])
      for (const nobody of ['192.0.2.1', '10.244.1.77', '169.254.169.254'])
        expect(await askInVain(space, nobody, 80)).toMatch(/ENETUNREACH|EHOSTUNREACH/)
  })

  it('goes without a trace, even when it has taken its own device away', async () => {
    const network = await bareNetwork('10.244.0.0/30')
    const before = heldNamespaces()
    const { ip, namespacePath } = await attach(network, podNamed('a'), 'node1')
    const space = openNetworkNamespace(namespacePath)
    await runChecked('ip', ['link', 'delete', 'eth0'], { namespace: space })
    space.close()
    expect(await detach(network, 'uid-a')).toBe(true)
    expect(heldNamespaces()).toBe(before)
    expect((await attach(network, podNamed('b'), 'node1')).ip).toBe(ip)
  })

  it('lets ordinary users ping and listen on every port', async () => {
    const network = await bareNetwork()
    const [a, b] = [
      await attach(network, podNamed('a'), 'node1'),
      await attach(network, podNamed('b'), 'node1'),
    ]
    const asNobody = (program: string, ...args: string[]): Promise<{ exitCode: number; stdout: string }> =>
      runProgram('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', program, ...args], {
        namespace: spaceAt(a.namespacePath),
      })
    expect((await asNobody('ping', '-c', '1', '-W', '1', b.ip)).exitCode).toBe(0)
    const listen =
      "const s = require('net').createServer().listen(80, () => { console.log('listens'); s.close() })"
    expect((await asNobody(process.execPath, '-e', listen)).stdout).toBe('listens\n')
    expect(await runChecked('ip', ['-o', 'link'], { namespace: spaceAt(a.namespacePath) })).toMatch(
      /2: eth0@\S+ <\S+> mtu 1500 /,
    )
  })

  it('is reached on its loopback, and from its node', async () => {
    const network = await bareNetwork()
    const { ip, namespacePath } = await attach(network, podNamed('a'), 'node2')
    serve({ space: spaceAt(namespacePath) }, 8080, 'a')
    const read = async (socket: AsyncIterable<Buffer>): Promise<string> => {
      let all = ''
      for await (const chunk of socket) all += chunk
      return all
    }
    expect(await read(await network.connectLocal('uid-a', 8080))).toBe('a to 127.0.0.1')
    await expect(network.connectLocal('uid-a', 8081)).rejects.toThrow('ECONNREFUSED')
    await expect(network.connectLocal('uid-z', 8080)).rejects.toThrow('not in the network')
    const { signal } = new AbortController()
    expect(await read(await network.connectFromNode('node2', ip, 8080, signal))).toBe('a to 172.18.0.3')
    await expect(network.connectFromNode('node2', 'example.org', 80, signal)).rejects.toThrow('no such host')
    await expect(network.connectFromNode('node2', ip, 8080, AbortSignal.abort())).rejects.toThrow('given up')
  })

  it('has the address of its node where it wants the network of its host', async () => {
    const network = await bareNetwork()
    const hostPod = (name: string, node: string) =>
      attach(network, podNamed(name, { hostNetwork: true }), node)
    const [one, same, other] = [
      await hostPod('one', 'node1'),
      await hostPod('same', 'node1'),
      await hostPod('other', 'node2'),
    ]
    expect([one.ip, same.ip, other.ip]).toEqual(['172.18.0.2', '172.18.0.2', '172.18.0.3'])
    expect(same.namespacePath).toBe(one.namespacePath)
    const pod = spaceAt((await attach(network, podNamed('a'), 'node1')).namespacePath)
    // The same port on every node, as the pods of a DaemonSet have it.
    serve({ space: spaceAt(one.namespacePath) }, 9100, 'one')
    serve({ space: spaceAt(other.namespacePath) }, 9100, 'other')
    expect(await ask(pod, one.ip, 9100)).toBe('one to 10.244.0.2')
    expect(await ask(pod, other.ip, 9100)).toBe('other to 10.244.0.2')
    expect(await ask(spaceAt(one.namespacePath), other.ip, 9100)).toBe('other to 172.18.0.2')
    expect(await detach(network, 'uid-one')).toBe(true)
    expect(await ask(pod, one.ip, 9100)).toBe('one to 10.244.0.2')
  })

  it('is gone for others once it was taken out, and its address rests', async () => {
    const network = await bareNetwork()
    const [a, b] = [
      await attach(network, podNamed('a'), 'node1'),
      await attach(network, podNamed('b'), 'node1'),
    ]
    expect(await attach(network, podNamed('b'), 'node1')).toBe(b)
    // As a container would that has not ended yet.
    const held = spaceAt(b.namespacePath)
    serve({ space: held }, 80, 'b')
    const space = spaceAt(a.namespacePath)
    expect(await ask(space, b.ip, 80)).toBe('b to 10.244.0.2')
    expect(await detach(network, 'uid-b')).toBe(true)
    expect(await askInVain(space, b.ip, 80)).toMatch(/ENETUNREACH|EHOSTUNREACH/)
    expect(await detach(network, 'uid-b')).toBe(true)
    expect((await attach(network, podNamed('c'), 'node1')).ip).toBe('10.244.0.4')
  })

  it('is refused when the node has no address left, and let in once one is free', async () => {
    const network = await bareNetwork('10.244.7.0/29')
    const names = ['a', 'b', 'c', 'd', 'e']
    const ips = await Promise.all(
      names.map(async (name) => (await attach(network, podNamed(name), 'node1')).ip),
    )
    expect(ips).toEqual([2, 3, 4, 5, 6].map((last) => `10.244.7.${last}`))
    await expect(attach(network, podNamed('f'), 'node1')).rejects.toThrow(
      'plugin type="host-local" failed (add): no IP addresses available in range set: 10.244.7.1-10.244.7.6',
    )
    await detach(network, 'uid-c')
    expect((await attach(network, podNamed('f'), 'node1')).ip).toBe('10.244.7.4')
    await expect(attach(network, podNamed('g'), 'node9')).rejects.toThrow('no node node9')
  })
})

describe('networks', () => {
  it('take fifty pods at once, and leave nothing on the host', async () => {
    const before = {
      links: await runChecked('ip', ['-o', 'link']),
      rules: await runChecked('nft', ['list', 'ruleset']),
      forwarding: await runChecked('cat', ['/proc/sys/net/ipv4/ip_forward']),
      held: heldNamespaces(),
    }
    const network = await bareNetwork()
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        attach(network, podNamed(`p${index}`), `node${(index % 3) + 1}`),
      ),
    )
    expect(new Set(all.map(({ ip }) => ip)).size).toBe(50)
    expect(heldNamespaces()).toBe(before.held + 1 + 3 + 50)
    const [first, last] = [spaceAt(all[0]!.namespacePath), all[49]!]
    expect(await pings(first, last.ip)).toBe(true)
    expect(await runChecked('ip', ['-o', 'link'])).toBe(before.links)
    await network.close()
    await expect(attach(network, podNamed('late'), 'node1')).rejects.toThrow('the network is closed')
    first.close()
    expect({
      links: await runChecked('ip', ['-o', 'link']),
      rules: await runChecked('nft', ['list', 'ruleset']),
      forwarding: await runChecked('cat', ['/proc/sys/net/ipv4/ip_forward']),
      held: heldNamespaces(),
    }).toEqual(before)
  })

  it('with the same addresses do not meet', async () => {
    const [one, two] = [await bareNetwork(), await bareNetwork()]
    const a = await attach(one, podNamed('a'), 'node1')
    const b = await attach(one, podNamed('b'), 'node1')
    const other = await attach(two, podNamed('other'), 'node1')
    expect(other.ip).toBe(a.ip)
    serve({ space: spaceAt(b.namespacePath) }, 80, 'b')
    serve({ space: one.namespace }, 6443, 'one')
    expect(await ask(spaceAt(a.namespacePath), b.ip, 80)).toBe('b to 10.244.0.2')
    expect(await askInVain(spaceAt(other.namespacePath), b.ip, 80)).toMatch(/ENETUNREACH|EHOSTUNREACH/)
    expect(await ask(spaceAt(a.namespacePath), '172.18.0.1', 6443)).toBe('one to 10.244.0.2')
    expect(await ask(spaceAt(other.namespacePath), '172.18.0.1', 6443)).toBe('ECONNREFUSED')
  })
})
