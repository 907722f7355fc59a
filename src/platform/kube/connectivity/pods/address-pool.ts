/** Allocates the addresses of a node's pods; a released address is reused last. */
import { type Random, shuffle } from '#kit'

export interface AddressPool {
  /** Throws with the message of the CNI plugin if all addresses are in use. */
  allocate(): string
  release(address: string): void
}

const toNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')

/** The first address is not used, because CNI plugins reserve it for the node. */
const FIRST_OFFSET = 2

/** Allocates in ascending order, which reveals the newest pods, or in random order if `random` is given. */
export const createAddressPool = (range: string, random?: Random): AddressPool => {
  const [network = '', bits] = range.split('/')
  const start = toNumber(network)
  const last = 2 ** (32 - Number(bits)) - 2
  const all = Array.from({ length: Math.max(0, last - FIRST_OFFSET + 1) }, (_, index) =>
    toAddress(start + FIRST_OFFSET + index),
  )
  const free = random === undefined ? all : shuffle(all, random)
  return {
    allocate() {
      const address = free.shift()
      if (address !== undefined) return address
      const addresses = `${toAddress(start + 1)}-${toAddress(start + last)}`
      throw new Error(
        `plugin type="host-local" failed (add): no IP addresses available in range set: ${addresses}`,
      )
    },
    release(address) {
      free.push(address)
    },
  }
}
