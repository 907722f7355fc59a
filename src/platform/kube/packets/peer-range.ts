/** Parses the address ranges of the peers of a fault or a policy. */

/** An IPv4 address as a number. */
export const addressNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

/** An IPv4 address with an optional prefix length. */
const CIDR = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?$/

export interface PeerRange {
  /** For example `10.244.0.7/32`. */
  readonly text: string
  readonly prefix: number
  contains(address: number): boolean
}

/** Throws if the text is not an IPv4 range. */
export const parsePeer = (text: string): PeerRange => {
  const match = CIDR.exec(text)
  const prefix = Number(match?.[2] ?? 32)
  if (match === null || prefix > 32 || match[1]!.split('.').some((part) => Number(part) > 255))
    throw new Error(`peers of a network fault must be IPv4 addresses with a prefix length, not ${text}`)
  // Arithmetic instead of shifts, because JavaScript shifts modulo 32.
  const size = 2 ** (32 - prefix)
  const first = Math.floor(addressNumber(match[1]!) / size)
  return {
    text: `${match[1]}/${prefix}`,
    prefix,
    contains: (address) => Math.floor(address / size) === first,
  }
}

/** Whether `outer` contains every address of `inner`. */
export const isWithin = (inner: PeerRange, outer: PeerRange): boolean =>
  inner.prefix >= outer.prefix && outer.contains(addressNumber(inner.text.split('/')[0]!))
