/** Tests of the API server inside a network namespace. Requires root. */
import { request } from 'node:https'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { afterEach, expect, it } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import {
  connectInside,
  createNetworkNamespace,
  listenInside,
  type NetworkNamespace,
  runChecked,
} from '#machine/linux'
import { endpointSlices } from '#platform/kube/kinds'
import { createSimulatedRuntime } from '#platform/kube/runtimes/simulated'
import type { Cluster, ListeningCluster } from './cluster-options.ts'
import { createCluster } from './create-cluster.ts'

const NODE_GATEWAY = '172.18.0.1'
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

const start = async (): Promise<{
  cluster: Cluster
  listening: ListeningCluster
  namespace: NetworkNamespace
}> => {
  const clock = createRealClock()
  const random = createRandom('listener')
  const cluster = createCluster({
    clock,
    random,
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: () => ({}) }),
  })
  cleanups.push(() => cluster.stop())
  const listening = await cluster.listen()
  cleanups.push(() => listening.close())
  const namespace = createNetworkNamespace()
  cleanups.push(() => namespace.close())
  const input = `link set lo up\naddr add ${NODE_GATEWAY}/32 dev lo\n`
  await runChecked('ip', ['-batch', '-'], { namespace, input })
  return { cluster, listening, namespace }
}

const getOver = (socket: Socket, servername: string, { certificateAuthority, token }: ListeningCluster) =>
  new Promise<string>((resolve, reject) => {
    const tls = connect({ socket, servername, ca: certificateAuthority })
    tls.once('error', reject)
    const headers = { authorization: `Bearer ${token}` }
    request({ createConnection: () => tls, path: '/api/v1/namespaces/default', headers }, (response) => {
      text(response).then(resolve, reject)
    })
      .once('error', reject)
      .end()
  })

it('the API server is reachable from a network namespace under the names of its Service', async () => {
  const { cluster, listening, namespace } = await start()
  const { port } = listening
  await listening.serveOn(listenInside(namespace, NODE_GATEWAY, port))
  for (const name of ['kubernetes.default.svc', 'kubernetes.default.svc.cluster.local', 'kubernetes']) {
    const response = await getOver(await connectInside(namespace, NODE_GATEWAY, port), name, listening)
    expect(JSON.parse(response)).toMatchObject({ kind: 'Namespace', metadata: { name: 'default' } })
  }
  await expect(
    getOver(await connectInside(namespace, NODE_GATEWAY, port), 'example.com', listening),
  ).rejects.toThrow("does not match certificate's altnames")
  expect(cluster.resources.client.get(endpointSlices, 'default', 'kubernetes')).toMatchObject({
    endpoints: [{ addresses: [NODE_GATEWAY] }],
    ports: [{ port }],
  })
})

it('the API server has a certificate for its addresses and names', async () => {
  const { listening } = await start()
  const { X509Certificate } = await import('node:crypto')
  const tls = connect({ port: listening.port, host: '127.0.0.1', ca: listening.certificateAuthority })
  await new Promise((resolve) => tls.once('secureConnect', resolve))
  const certificate = new X509Certificate(tls.getPeerCertificate().raw)
  tls.destroy()
  for (const address of ['10.96.0.1', NODE_GATEWAY, '127.0.0.1'])
    expect(certificate.checkIP(address)).toBe(address)
  for (const name of ['localhost', 'kubernetes', 'kubernetes.default'])
    expect(certificate.checkHost(name)).toBe(name)
})

it('the API server stops listening on every socket when it is closed', async () => {
  const { listening, namespace } = await start()
  await listening.serveOn(listenInside(namespace, NODE_GATEWAY, listening.port))
  const connection = await connectInside(namespace, NODE_GATEWAY, listening.port)
  const closed = new Promise((resolve) => connection.once('close', resolve))
  connection.on('error', () => {}).resume()
  await listening.close()
  connection.end()
  await closed
  await expect(connectInside(namespace, NODE_GATEWAY, listening.port)).rejects.toThrow('ECONNREFUSED')
})
