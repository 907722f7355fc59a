/** Addresses of a node's pods: 10.244.N.2 and up, each free again when its pod has gone. */

export interface AddressPool {
  take(): string | undefined
  giveBack(address: string): void
}

const FIRST = 2
const LAST = 254

/** `prefix` is the first three parts of the range: `10.244.1`. */
export const createAddressPool = (prefix: string): AddressPool => {
  const used = new Set<number>()
  let last = FIRST - 1
  return {
    take() {
      // The next one after the last, round and round, so that an address is not soon used again.
      for (let tried = FIRST; tried <= LAST; tried += 1) {
        last = last >= LAST ? FIRST : last + 1
        if (used.has(last)) continue
        used.add(last)
        return `${prefix}.${last}`
      }
      return undefined
    },
    giveBack(address) {
      if (address.startsWith(`${prefix}.`)) used.delete(Number(address.slice(prefix.length + 1)))
    },
  }
}
