/** Tests that pods cannot reach listeners of the host, the API beyond their rights, or another cluster. */
import { connect, createServer, type Server } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PodRef } from '#spec'
import { createRequester } from '../testing/create-requester.ts'
import { createTrialCluster, type TrialCluster } from '../testing/trial-cluster.ts'

let trial: TrialCluster
let other: TrialCluster
let pod: PodRef
/** A pod in the network of its node. */
let hostNetworkPod: PodRef
let listeners: Server[]
let port: number
let connections = 0

const listen = (...where: [number, string] | [string]): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      connections += 1
      socket.end('the host')
    })
    if (where.length === 2) server.listen(where[0], where[1], () => resolve(server))
    else server.listen(where[0], () => resolve(server))
  })

beforeAll(async () => {
  const tcpServer = await listen(0, '::')
  port = (tcpServer.address() as { port: number }).port
  listeners = [tcpServer, await listen(`\0remedium-trial-${port}`)]
  for (const target of [{ port, host: '127.0.0.1' }, { path: `\0remedium-trial-${port}` }])
    expect(await text(connect(target))).toBe('the host')
  connections = 0
  // Both clusters have the same seed, and so the same addresses.
  ;[trial, other] = await Promise.all([createTrialCluster(), createTrialCluster()])
  const securityContext = { capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } }
  pod = await trial.startPod({ container: { securityContext } })
  hostNetworkPod = await trial.startPod({ container: { securityContext }, spec: { hostNetwork: true } })
})
afterAll(async () => {
  for (const server of listeners) server.close()
  await Promise.all([trial?.close(), other?.close()])
})

const hostAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))

/** Returns a program that connects to all addresses and ports at once, and prints the responses with their sources. */
const connectProgram = (addresses: readonly string[], ports: readonly number[]): string => `
import socket
from concurrent.futures import ThreadPoolExecutor
def attempt(target):
    try:
        with socket.create_connection(target, 1) as connection:
            connection.settimeout(0.3)
            try: return target, connection.recv(100)
            except OSError: return target, b''
    except OSError: return None
targets = [(address, port) for address in ${JSON.stringify(addresses)} for port in ${JSON.stringify(ports)}]
with ThreadPoolExecutor(40) as pool: print([found for found in pool.map(attempt, targets) if found])`

describe('listeners of the host', () => {
  it('cannot be reached by any address', async () => {
    const clusterAddresses = [
      '127.0.0.1',
      '127.0.0.53',
      '::1',
      '172.18.0.1',
      '172.18.0.2',
      '172.18.0.4',
      '10.96.0.1',
    ]
    const commonAddresses = [
      '169.254.1.1',
      '169.254.169.254',
      '10.0.2.2',
      '172.17.0.1',
      '192.168.1.1',
      '10.244.0.0',
    ]
    const addresses = [...new Set([...hostAddresses(), ...clusterAddresses, ...commonAddresses])]
    for (const from of [pod, hostNetworkPod])
      expect(await trial.python(from, connectProgram(addresses, [port]))).toBe('[]\n')
    expect(connections).toBe(0)
  })

  it('cannot be reached by abstract socket names', async () => {
    const program = `
import socket
try: socket.socket(socket.AF_UNIX).connect('\\0remedium-trial-${port}'); print('reached')
except OSError as error: print(error.strerror)`
    for (const from of [pod, hostNetworkPod])
      expect(await trial.python(from, program)).toBe('Connection refused\n')
    expect(await trial.sh(hostNetworkPod, 'cat /proc/net/unix')).not.toContain('remedium-trial')
    expect(connections).toBe(0)
  })

  it('cannot be reached by probes and hooks of the kubelet', async () => {
    const httpGetAction = { httpGet: { host: '127.0.0.1', port, path: '/' } }
    const [hostAddress = '127.0.0.1'] = hostAddresses().filter(
      (address) => /^\d/.test(address) && !address.startsWith('127.'),
    )
    const probe = { periodSeconds: 1, failureThreshold: 1 }
    const probed = await trial.createPod({
      container: {
        readinessProbe: { ...httpGetAction, ...probe },
        livenessProbe: { tcpSocket: { host: hostAddress, port }, initialDelaySeconds: 1, ...probe },
      },
    })
    const hooked = await trial.createPod({ container: { lifecycle: { postStart: httpGetAction } } })
    await trial.waitUntil(probed, ({ status }) => status?.phase === 'Failed')
    await trial.waitUntil(hooked, ({ status }) => ['Failed', 'Succeeded'].includes(status?.phase ?? ''))
    expect(connections).toBe(0)
  })

  it('cannot be reached through Services', async () => {
    const { api } = trial.local
    const [hostAddress = '192.0.2.1'] = hostAddresses().filter(
      (address) => /^\d/.test(address) && !address.startsWith('127.'),
    )
    const namespace = 'default'
    await api.create(
      { apiVersion: 'v1', plural: 'services', namespace },
      { metadata: { name: 'out' }, spec: { ports: [{ port: 80, targetPort: port }] } },
    )
    const createEndpoints = (ip: string) =>
      api.create(
        { apiVersion: 'v1', plural: 'endpoints', namespace },
        { metadata: { name: 'out' }, subsets: [{ addresses: [{ ip }], ports: [{ port }] }] },
      )
    await expect(createEndpoints('127.0.0.1')).rejects.toMatchObject({ code: 422 })
    await createEndpoints(hostAddress)
    const service = await api.get({ apiVersion: 'v1', plural: 'services', namespace, name: 'out' })
    const { clusterIP } = service.spec as { clusterIP: string }
    expect(await trial.python(pod, connectProgram([clusterIP], [80]))).toBe('[]\n')
    expect(connections).toBe(0)
  })

  it('cannot be reached through the API', async () => {
    const request = createRequester({ ...trial.local, url: trial.local.server })
    for (const path of [
      `/api/v1/namespaces/default/pods/${hostNetworkPod.name}:${port}/proxy/`,
      `/api/v1/namespaces/default/services/out:80/proxy/`,
      `/api/v1/nodes/node1:${port}/proxy/`,
    ]) {
      const { code, body } = await request('GET', path)
      expect(code).toBeGreaterThanOrEqual(400)
      expect(JSON.stringify(body)).not.toContain('the host')
    }
    expect(connections).toBe(0)
  })
})

describe('addresses of the host', () => {
  it('are hidden from a pod in the network of its node', async () => {
    const output = await trial.sh(hostNetworkPod, 'ip -o addr')
    const hidden = hostAddresses().filter((address) => !/^(127\.|::1|172\.18\.)/.test(address))
    for (const address of hidden) expect(output).not.toContain(`${address}/`)
  })
})

describe('names', () => {
  it('of the host and of the internet cannot be resolved', async () => {
    for (const name of [hostname(), 'example.com', 'host.docker.internal', 'metadata.google.internal'])
      expect(await trial.sh(pod, `getent hosts ${name} || echo none`)).toBe('none\n')
    expect(await trial.sh(pod, 'getent hosts kubernetes.default.svc.cluster.local')).toContain('10.96.0.1')
  })
})

describe('the API', () => {
  const requestProgram = (headers: string, path: string): string => `
import ssl, urllib.request, urllib.error
mine = open('/var/run/secrets/kubernetes.io/serviceaccount/token').read()
request = urllib.request.Request('https://kubernetes.default.svc${path}', headers=${headers})
trusted = ssl.create_default_context(cafile='/var/run/secrets/kubernetes.io/serviceaccount/ca.crt')
try: print(urllib.request.urlopen(request, context=trusted).status)
except urllib.error.HTTPError as error: print(error.code)`
  const ownHeaders = `{'authorization': 'Bearer ' + mine}`

  it.each([
    ['{}', '/api/v1/secrets', 403],
    ['{}', '/api/v1/namespaces/default/pods', 403],
    [`{'authorization': 'Bearer mine'}`, '/api/v1/secrets', 401],
    [`{'authorization': 'Bearer mine'}`, '/version', 401],
    [ownHeaders, '/version', 200],
    [ownHeaders, '/api/v1/secrets', 403],
    [ownHeaders, '/api/v1/namespaces/default/secrets', 403],
    [ownHeaders, '/api/v1/namespaces/kube-system/configmaps', 403],
    [ownHeaders, '/api/v1/namespaces/default/pods/x/exec?command=sh', 403],
    [ownHeaders, '/api/v1/nodes/node1/proxy/', 403],
    [`{**${ownHeaders}, 'impersonate-user': 'kubernetes-admin'}`, '/api/v1/secrets', 403],
    [
      `{**${ownHeaders}, 'impersonate-group': 'system:masters', 'impersonate-user': 'x'}`,
      '/api/v1/secrets',
      403,
    ],
    [
      `{**${ownHeaders}, 'x-remote-user': 'kubernetes-admin', 'x-remote-group': 'system:masters'}`,
      '/api/v1/secrets',
      403,
    ],
  ])('for a pod with the headers %s, answers a request for %s with %i', async (headers, path, code) => {
    expect(await trial.python(pod, requestProgram(headers, path))).toBe(`${code}\n`)
  })

  it('rejects the token of another cluster', async () => {
    const token = await trial.sh(pod, 'cat /var/run/secrets/kubernetes.io/serviceaccount/token')
    const request = createRequester({ ...other.local, url: other.local.server })
    for (const mine of [token.trim(), trial.local.token])
      expect(await request('GET', '/api', undefined, { authorization: `Bearer ${mine}` })).toMatchObject({
        code: 401,
      })
  })
})

describe('another cluster', () => {
  const serverPod = (text: string) => ({
    name: 'web',
    spec: { nodeName: 'node2' },
    container: {
      command: [
        'python3',
        '-c',
        `import socket\nserver = socket.create_server(('', 8080))\nwhile True: server.accept()[0].sendall(b'${text}')`,
      ],
    },
  })

  it('has pods in the same subnet, which cannot be reached', async () => {
    const [here, there] = [await trial.startPod(serverPod('here')), await other.startPod(serverPod('there'))]
    const pods = [await trial.getPod(here), await other.getPod(there)]
    const addresses = pods.map(({ status }) => status!.podIP!)
    expect(addresses.every((ip) => ip.startsWith('10.244.1.'))).toBe(true)
    await expect.poll(() => trial.python(pod, connectProgram([addresses[0]!], [8080]))).toContain('here')
    for (const from of [pod, hostNetworkPod]) {
      const responses = await trial.python(from, connectProgram(addresses, [8080]))
      expect(responses).toContain("b'here'")
      expect(responses).not.toContain('there')
    }
    const otherApiPort = Number(new URL(other.local.server).port)
    const connectToOtherApi = connectProgram(['172.18.0.1', '127.0.0.1', '10.96.0.1'], [otherApiPort])
    expect(await trial.python(hostNetworkPod, connectToOtherApi)).toBe('[]\n')
  })

  it('has names that this one cannot resolve', async () => {
    const services = { apiVersion: 'v1', plural: 'services', namespace: 'default' }
    await other.local.api.create(services, {
      metadata: { name: 'only-there' },
      spec: { ports: [{ port: 80 }] },
    })
    const there = await other.startPod()
    await expect.poll(() => other.sh(there, 'getent hosts only-there')).toContain('only-there')
    expect(await trial.sh(pod, 'getent hosts only-there || echo none')).toBe('none\n')
  })
})
