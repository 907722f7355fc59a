/** Registers services with Nacos, sends heartbeats every five seconds, and resolves others. */
import { createRegistryCaller } from '../registry-caller.ts'
import type { RegistryHost } from '../registry-host.ts'
import type { RegisteredInstance, RegistryClient, RegistryClientOptions } from '../registry-protocol.ts'
import { createWatchedNames, type KnownAddresses } from '../watched-names.ts'
import { BEAT_CODE, HEARTBEAT_MS } from './nacos-answers.ts'

const INSTANCE = '/nacos/v1/ns/instance'

/** The timeout of a query exceeds its wait time by this margin. */
const WATCH_MARGIN_MS = 5000

/** Observes only one heartbeat in this many, because spans of all of them would hide user traffic. */
const HEARTBEATS_PER_OBSERVATION = 6

const toQuery = ({ service, host, port }: RegisteredInstance): string =>
  new URLSearchParams({ serviceName: service, ip: host, port: String(port), ephemeral: 'true' }).toString()

interface ListAnswer {
  readonly hosts: readonly { readonly ip: string; readonly port: number }[]
}

export const createNacosClient = (
  host: RegistryHost,
  { addresses, observe = (_, work) => work() }: RegistryClientOptions,
): RegistryClient => {
  const caller = createRegistryCaller(host, addresses)
  const registered = new Set<RegisteredInstance>()
  let cancelHeartbeat: (() => void) | undefined
  let heartbeatCount = 0

  const fetchInstances = async (name: string, index: number, waitMs: number): Promise<KnownAddresses> => {
    const query = new URLSearchParams({ serviceName: name, healthyOnly: 'true' })
    if (index > 0) query.set('index', String(index))
    query.set('wait', String(waitMs))
    const answer = await caller.call('GET', `${INSTANCE}/list?${query}`, {
      timeoutMs: waitMs + WATCH_MARGIN_MS,
    })
    return {
      index: Number(answer.headers['x-nacos-index'] ?? 0),
      addresses: (answer.body as ListAnswer).hosts.map(({ ip, port }) => ({ host: ip, port })),
    }
  }

  const names = createWatchedNames(host, {
    lookUp: (name) => observe(`GET ${INSTANCE}/list`, () => fetchInstances(name, 0, 0)),
    watch: fetchInstances,
  })

  const postInstance = (instance: RegisteredInstance): Promise<unknown> =>
    observe(`POST ${INSTANCE}`, () => caller.call('POST', `${INSTANCE}?${toQuery(instance)}`))

  /** Sends a heartbeat, and registers again with a server that does not have the instance. */
  const sendHeartbeat = async (instance: RegisteredInstance): Promise<void> => {
    const send = () => caller.call('PUT', `${INSTANCE}/beat?${toQuery(instance)}`)
    const { body } = await (heartbeatCount % HEARTBEATS_PER_OBSERVATION === 0
      ? observe(`PUT ${INSTANCE}/beat`, send)
      : send())
    if ((body as { code: number }).code === BEAT_CODE.unknown) await postInstance(instance)
  }

  /** A failed heartbeat is not retried: the next one follows five seconds later. */
  const scheduleHeartbeat = (): void => {
    cancelHeartbeat = host.time.after(HEARTBEAT_MS, () => {
      heartbeatCount += 1
      for (const instance of registered) sendHeartbeat(instance).catch(() => {})
      scheduleHeartbeat()
    })
  }

  return {
    register: async (instance) => {
      await postInstance(instance)
      registered.add(instance)
      if (cancelHeartbeat === undefined) scheduleHeartbeat()
    },
    resolve: (service) => names.resolve(service),
    close: async () => {
      cancelHeartbeat?.()
      names.close()
      await Promise.allSettled(
        [...registered].map((instance) => caller.call('DELETE', `${INSTANCE}?${toQuery(instance)}`)),
      )
      caller.close()
    },
  }
}
