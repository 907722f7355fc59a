/** Allocates the addresses of a node's pods, starting at 10.244.N.2. */

export interface AddressPool {
  /** Returns undefined if all addresses are in use. */
  allocate(): string | undefined
  release(address: string): void
}

const FIRST_HOST = 2
const LAST_HOST = 254

/** `prefix` is the first three octets of the range, such as `10.244.1`. */
export const createAddressPool = (prefix: string): AddressPool => {
  const used = new Set<number>()
  let lastHost = FIRST_HOST - 1
  return {
    allocate() {
      // Round robin, so that an address is not reused soon.
      for (let host = FIRST_HOST; host <= LAST_HOST; host += 1) {
        lastHost = lastHost >= LAST_HOST ? FIRST_HOST : lastHost + 1
        if (used.has(lastHost)) continue
        used.add(lastHost)
        return `${prefix}.${lastHost}`
      }
      return undefined
    },
    release(address) {
      if (address.startsWith(`${prefix}.`)) used.delete(Number(address.slice(prefix.length + 1)))
    },
  }
}
