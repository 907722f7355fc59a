/** The discovery part of a Nacos server: registrations, heartbeats and lists, synchronised with its peers. */
import type { ListeningServer, RequestHandler } from '#world/twin/ports'
import { createChanges } from '../changes.ts'
import type { RegistryHost } from '../registry-host.ts'
import type { RegistryServerOptions } from '../registry-protocol.ts'
import { InstanceTable } from './instance-table.ts'
import { createNacosPeers, parsePeers } from './nacos-peers.ts'
import { createNacosRoutes } from './nacos-routes.ts'

const EXPIRY_CHECK_MS = 1000

/** Deletes instances without heartbeats, and returns a function that stops it. */
const startExpiry = (host: RegistryHost, table: InstanceTable, log: RegistryServerOptions['log']) => {
  let cancel = (): void => {}
  const schedule = (): void => {
    cancel = host.time.after(EXPIRY_CHECK_MS, () => {
      for (const { service, host: address, port } of table.expire(host.time.now()))
        log('info', `[AUTO-DELETE-IP] service: ${service}, ip: ${address}:${port}`)
      schedule()
    })
  }
  schedule()
  return () => cancel()
}

export const startNacosServer = async (
  host: RegistryHost,
  { port, environment, fails, log, onCommand }: RegistryServerOptions,
): Promise<ListeningServer> => {
  const now = (): number => Math.floor(host.time.now())
  const changes = createChanges(host)
  const table = new InstanceTable((service) => changes.record(service))
  const peers = createNacosPeers(host, parsePeers(environment), log)
  const routes = createNacosRoutes({ changes, table, peers, log, now })

  const handler: RequestHandler = async (request) => {
    const startedAt = host.time.monotonic()
    const name = `${request.method} ${request.path}`
    const answer =
      fails?.(name) === true
        ? { status: 500, body: 'caused: unexpected null value' }
        : ((await routes[name]?.(request)) ?? { status: 404, body: { status: 404, path: request.path } })
    onCommand(
      routes[name] ? name : 'unknown',
      host.time.monotonic() - startedAt,
      answer.status < 400 ? undefined : 'refused',
    )
    return answer
  }

  for (const instance of await peers.load()) table.put(instance, now())
  const stopExpiry = startExpiry(host, table, log)
  const start = await host.protocols.serviceServer('http')
  const server = await start({ port, handler })
  log('info', 'Nacos started successfully in cluster mode. use external storage')
  return {
    port: server.port,
    close: (graceMs) => {
      stopExpiry()
      peers.close()
      changes.close()
      return server.close(graceMs)
    },
  }
}
