/** Registers with Nacos, is heard of every five seconds, and knows where the others are. */
import { createRegistryCaller } from '../registry-caller.ts'
import type { CreateRegistryClient, RegisteredInstance } from '../registry-wire.ts'
import { createWatchedNames, type Knowledge } from '../watched-names.ts'
import { BEAT_CODE, BEAT_MS } from './nacos-answers.ts'

const INSTANCE = '/nacos/v1/ns/instance'

/** Beyond the wait that was asked for. */
const WATCH_MARGIN_MS = 5000

/** One beat in so many is seen from outside: all of them would hide what users do. */
const OBSERVED_EVERY = 6

const toQuery = ({ service, host, port }: RegisteredInstance): string =>
  new URLSearchParams({ serviceName: service, ip: host, port: String(port), ephemeral: 'true' }).toString()

interface ListAnswer {
  readonly hosts: readonly { readonly ip: string; readonly port: number }[]
}

export const createNacosClient: CreateRegistryClient = ({ addresses, observe = (_, work) => work() }) => {
  const caller = createRegistryCaller(addresses)
  const registered = new Set<RegisteredInstance>()
  let beats: NodeJS.Timeout | undefined
  let turn = 0

  const list = async (name: string, index: number, waitMs: number): Promise<Knowledge> => {
    const query = new URLSearchParams({ serviceName: name, healthyOnly: 'true' })
    if (index > 0) query.set('index', String(index))
    query.set('wait', String(waitMs))
    const answer = await caller.ask('GET', `${INSTANCE}/list?${query}`, {
      timeoutMs: waitMs + WATCH_MARGIN_MS,
    })
    return {
      index: Number(answer.headers['x-nacos-index'] ?? 0),
      addresses: (answer.body as ListAnswer).hosts.map(({ ip, port }) => ({ host: ip, port })),
    }
  }

  const names = createWatchedNames({
    look: (name) => observe(`GET ${INSTANCE}/list`, () => list(name, 0, 0)),
    watch: list,
  })

  const put = (instance: RegisteredInstance): Promise<unknown> =>
    observe(`POST ${INSTANCE}`, () => caller.ask('POST', `${INSTANCE}?${toQuery(instance)}`))

  /** A server that has forgotten it, or never heard of it, is told anew. */
  const beat = async (instance: RegisteredInstance): Promise<void> => {
    const send = () => caller.ask('PUT', `${INSTANCE}/beat?${toQuery(instance)}`)
    const { body } = await (turn % OBSERVED_EVERY === 0 ? observe(`PUT ${INSTANCE}/beat`, send) : send())
    if ((body as { code: number }).code === BEAT_CODE.unknown) await put(instance)
  }

  return {
    register: async (instance) => {
      await put(instance)
      registered.add(instance)
      // Who cannot be reached now is told five seconds later.
      beats ??= setInterval(() => {
        turn += 1
        for (const known of registered) beat(known).catch(() => {})
      }, BEAT_MS)
      beats.unref()
    },
    resolve: (service) => names.resolve(service),
    close: async () => {
      clearInterval(beats)
      names.close()
      await Promise.allSettled(
        [...registered].map((instance) => caller.ask('DELETE', `${INSTANCE}?${toQuery(instance)}`)),
      )
      caller.close()
    },
  }
}
