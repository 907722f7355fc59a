/** Asks one of a registry's servers: the one that answered last, and the next where that fails. */
import { CallFailure, type ServiceAnswer, type ServiceClient } from '../ports/index.ts'
import { loadServiceClient } from '../wires/index.ts'
import type { Address } from './registry-wire.ts'

export interface RegistryCaller {
  /** Rejects with a CallFailure, also for a status of 400 and more. */
  ask(
    method: string,
    target: string,
    options?: { readonly body?: unknown; readonly timeoutMs?: number },
  ): Promise<ServiceAnswer>
  close(): void
}

/** Registries answer at once or not at all. */
const PATIENCE_MS = 3000

export const createRegistryCaller = (addresses: readonly Address[]): RegistryCaller => {
  const clients = new Map<Address, ServiceClient>()
  // Clients do not all begin with the same server.
  let current = Math.floor(Math.random() * addresses.length)
  const clientOf = async (address: Address): Promise<ServiceClient> => {
    const create = await loadServiceClient('http')
    const client = clients.get(address) ?? create({ address: async () => address })
    clients.set(address, client)
    return client
  }
  return {
    ask: async (method, target, { body, timeoutMs = PATIENCE_MS } = {}) => {
      let failure = new CallFailure('name', 'no server of the registry is known')
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
        // Another call may have moved on already.
        if (current % addresses.length === chosen) current = chosen + 1
      }
      throw failure
    },
    close: () => {
      for (const client of clients.values()) client.close()
    },
  }
}
