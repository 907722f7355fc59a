/** Allocates the addresses of a node's pods, from 10.244.N.2. */

export interface AddressPool {
  take(): string | undefined
  release(address: string): void
}

const FIRST = 2
const LAST = 254

/** `prefix` is the first three octets of the range, such as `10.244.1`. */
export const createAddressPool = (prefix: string): AddressPool => {
  const used = new Set<number>()
  let last = FIRST - 1
  return {
    take() {
      // Round robin, so that an address is not reused soon.
      for (let host = FIRST; host <= LAST; host += 1) {
        last = last >= LAST ? FIRST : last + 1
        if (used.has(last)) continue
        used.add(last)
        return `${prefix}.${last}`
      }
      return undefined
    },
    release(address) {
      if (address.startsWith(`${prefix}.`)) used.delete(Number(address.slice(prefix.length + 1)))
    },
  }
}
