/**
 * Registers services with Consul and resolves others. A registration has no check and is never removed, not
 * even at exit: a stopped service stays listed, and its clients keep trying it.
 */
import { createRegistryCaller } from '../registry-caller.ts'
import type { RegistryHost } from '../registry-host.ts'
import type { RegistryClient, RegistryClientOptions } from '../registry-protocol.ts'
import { createWatchedNames, type KnownAddresses } from '../watched-names.ts'

/** The timeout of a blocking query exceeds its wait time by this margin. */
const WATCH_MARGIN_MS = 5000

/** Time that a call waits for the first address of a name, as in a gRPC channel without addresses. */
const FIRST_ADDRESS_TIMEOUT_MS = 5000

interface HealthEntry {
  readonly Service: { readonly Address: string; readonly Port: number }
}

export const createConsulClient = (
  host: RegistryHost,
  { addresses, observe = (_, work) => work() }: RegistryClientOptions,
): RegistryClient => {
  const caller = createRegistryCaller(host, addresses)

  const fetchHealthy = async (name: string, index: number, waitMs: number): Promise<KnownAddresses> => {
    const waitParameters = index > 0 ? `&index=${index}&wait=${waitMs}ms` : ''
    const answer = await caller.call(
      'GET',
      `/v1/health/service/${encodeURIComponent(name)}?passing=1${waitParameters}`,
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

  const lookUp = (name: string): Promise<KnownAddresses> =>
    observe(`GET /v1/health/service/${name}`, () => fetchHealthy(name, 0, 0))
  const names = createWatchedNames(host, { lookUp, watch: fetchHealthy }, FIRST_ADDRESS_TIMEOUT_MS)

  return {
    register: async ({ service, host: address, port }) => {
      const body = { ID: `${service}-${address}-${port}`, Name: service, Address: address, Port: port }
      await observe('PUT /v1/agent/service/register', () =>
        caller.call('PUT', '/v1/agent/service/register', { body }),
      )
    },
    resolve: (service) => names.resolve(service),
    close: async () => {
      names.close()
      caller.close()
    },
  }
}
