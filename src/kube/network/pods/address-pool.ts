/** The addresses of a node's pods; one that was given back comes last in the queue. */

export interface AddressPool {
  /** Throws in the kubelet's words when none is left. */
  take(): string
  giveBack(address: string): void
}

const toNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')

/** The first address of the range is the node's in other networks: pods get the second and on. */
const FIRST = 2

export const createAddressPool = (range: string): AddressPool => {
  const [network = '', bits] = range.split('/')
  const start = toNumber(network)
  const last = 2 ** (32 - Number(bits)) - 2
  const free = Array.from({ length: Math.max(0, last - FIRST + 1) }, (_, index) =>
    toAddress(start + FIRST + index),
  )
  return {
    take() {
      const address = free.shift()
      if (address !== undefined) return address
      const addresses = `${toAddress(start + 1)}-${toAddress(start + last)}`
      throw new Error(
        `plugin type="host-local" failed (add): no IP addresses available in range set: ${addresses}`,
      )
    },
    giveBack(address) {
      free.push(address)
    },
  }
}
