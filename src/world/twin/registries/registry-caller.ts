/** Calls the servers of a registry, starting with the last one that answered. */
import { CallFailure, type ServiceAnswer, type ServiceClient } from '#world/twin/ports'
import type { RegistryHost } from './registry-host.ts'
import type { Address } from './registry-protocol.ts'

export interface RegistryCaller {
  /** Rejects with a CallFailure, also for a status of 400 or above. */
  call(
    method: string,
    target: string,
    options?: { readonly body?: unknown; readonly timeoutMs?: number },
  ): Promise<ServiceAnswer>
  close(): void
}

/** The default time limit of a call. */
const TIMEOUT_MS = 3000

export const createRegistryCaller = (host: RegistryHost, addresses: readonly Address[]): RegistryCaller => {
  const clients = new Map<Address, ServiceClient>()
  // Random, so that the load spreads over the servers.
  let current = Math.floor(host.random.next() * addresses.length)
  const clientOf = async (address: Address): Promise<ServiceClient> => {
    const create = await host.protocols.serviceClient('http')
    const client = clients.get(address) ?? create({ address: async () => address })
    clients.set(address, client)
    return client
  }
  return {
    call: async (method, target, { body, timeoutMs = TIMEOUT_MS } = {}) => {
      let failure = new CallFailure('name', 'no registry server is configured')
      for (let attempt = 0; attempt < addresses.length; attempt++) {
        const chosen = current % addresses.length
        try {
          const client = await clientOf(addresses[chosen]!)
          const answer = await client.call({ method, target, headers: {}, body, timeoutMs })
          if (answer.status < 400) return answer
          failure = new CallFailure('answer', `${method} ${target}: status ${answer.status}`, answer.status)
        } catch (error) {
          failure = error as CallFailure
        }
        // A concurrent call may already have switched to the next server.
        if (current % addresses.length === chosen) current = chosen + 1
      }
      throw failure
    },
    close: () => {
      for (const client of clients.values()) client.close()
    },
  }
}
