/** Which addresses a fault is about. */

const toNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

/** An IPv4 address with a prefix length; a bare address stands for itself alone. */
const CIDR = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?$/

export interface PeerRange {
  /** As `10.244.0.7/32`. */
  readonly text: string
  readonly prefix: number
  holds(address: number): boolean
}

/** Throws one clear sentence for what is no IPv4 range. */
export const parsePeer = (text: string): PeerRange => {
  const match = CIDR.exec(text)
  const prefix = Number(match?.[2] ?? 32)
  if (match === null || prefix > 32 || match[1]!.split('.').some((part) => Number(part) > 255))
    throw new Error(`a network fault names its peers as IPv4 addresses with a prefix length, not ${text}`)
  // Plain arithmetic: shifts of JavaScript know no 32.
  const size = 2 ** (32 - prefix)
  const first = Math.floor(toNumber(match[1]!) / size)
  return {
    text: `${match[1]}/${prefix}`,
    prefix,
    holds: (address) => Math.floor(address / size) === first,
  }
}

/** Whether every address of `inner` lies in `outer`. */
export const isWithin = (inner: PeerRange, outer: PeerRange): boolean =>
  inner.prefix >= outer.prefix && outer.holds(toNumber(inner.text.split('/')[0]!))
