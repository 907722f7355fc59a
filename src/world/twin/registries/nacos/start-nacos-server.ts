/** The discovery part of a Nacos server: registrations, heartbeats and lists, synchronised with its peers. */
import type { RequestHandler } from '#world/twin/ports'
import { loadServiceServer } from '#world/twin/protocols'
import { createChanges } from '../changes.ts'
import type { StartRegistryServer } from '../registry-protocol.ts'
import { InstanceTable } from './instance-table.ts'
import { createNacosPeers, parsePeers } from './nacos-peers.ts'
import { createNacosRoutes } from './nacos-routes.ts'

const EXPIRY_CHECK_MS = 1000

export const startNacosServer: StartRegistryServer = async ({ port, environment, fails, log, onCommand }) => {
  const changes = createChanges()
  const table = new InstanceTable((service) => changes.record(service))
  const peers = createNacosPeers(parsePeers(environment), log)
  const routes = createNacosRoutes({ changes, table, peers, log })

  const handler: RequestHandler = async (request) => {
    const startedAt = performance.now()
    const name = `${request.method} ${request.path}`
    const answer =
      fails?.(name) === true
        ? { status: 500, body: 'caused: unexpected null value' }
        : ((await routes[name]?.(request)) ?? { status: 404, body: { status: 404, path: request.path } })
    onCommand(
      routes[name] ? name : 'unknown',
      performance.now() - startedAt,
      answer.status < 400 ? undefined : 'refused',
    )
    return answer
  }

  for (const instance of await peers.load()) table.put(instance, Date.now())
  const expiry = setInterval(() => {
    for (const { service, host, port: deletedPort } of table.expire(Date.now()))
      log('info', `[AUTO-DELETE-IP] service: ${service}, ip: ${host}:${deletedPort}`)
  }, EXPIRY_CHECK_MS)
  const server = await (await loadServiceServer('http'))({ port, handler })
  log('info', 'Nacos started successfully in cluster mode. use external storage')
  return {
    port: server.port,
    close: (graceMs) => {
      clearInterval(expiry)
      peers.close()
      changes.close()
      return server.close(graceMs)
    },
  }
}
