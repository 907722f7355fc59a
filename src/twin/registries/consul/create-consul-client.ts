/**
 * Registers with Consul and knows where the others are. A registration has no check and is never taken back, also not
 * at the end: who is gone without a word stays listed, and others keep trying it.
 */
import { createRegistryCaller } from '../registry-caller.ts'
import type { CreateRegistryClient } from '../registry-wire.ts'
import { createWatchedNames, type Knowledge } from '../watched-names.ts'

/** Beyond the wait that was asked for. */
const WATCH_MARGIN_MS = 5000

/** Calls wait for the first address of a name, as they do in a gRPC channel that has not heard of any yet. */
const PATIENCE_MS = 5000

interface HealthEntry {
  readonly Service: { readonly Address: string; readonly Port: number }
}

export const createConsulClient: CreateRegistryClient = ({ addresses, observe = (_, work) => work() }) => {
  const caller = createRegistryCaller(addresses)

  const health = async (name: string, index: number, waitMs: number): Promise<Knowledge> => {
    const waiting = index > 0 ? `&index=${index}&wait=${waitMs}ms` : ''
    const answer = await caller.ask(
      'GET',
      `/v1/health/service/${encodeURIComponent(name)}?passing=1${waiting}`,
      {
        timeoutMs: waitMs + WATCH_MARGIN_MS,
      },
    )
    return {
      index: Number(answer.headers['x-consul-index'] ?? 0),
      addresses: (answer.body as readonly HealthEntry[]).map(({ Service }) => ({
        host: Service.Address,
        port: Service.Port,
      })),
    }
  }

  const look = (name: string): Promise<Knowledge> =>
    observe(`GET /v1/health/service/${name}`, () => health(name, 0, 0))
  const names = createWatchedNames({ look, watch: health }, PATIENCE_MS)

  return {
    register: async ({ service, host, port }) => {
      const body = { ID: `${service}-${host}-${port}`, Name: service, Address: host, Port: port }
      await observe('PUT /v1/agent/service/register', () =>
        caller.ask('PUT', '/v1/agent/service/register', { body }),
      )
    },
    resolve: (service) => names.resolve(service),
    close: async () => {
      names.close()
      caller.close()
    },
  }
}
