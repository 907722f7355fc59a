/** Sets of IPv4 addresses, as ranges of numbers. */

/** First and last address. */
export type AddressRange = readonly [first: number, last: number]

export const ALL_ADDRESSES: AddressRange = [0, 2 ** 32 - 1]

/** Returns undefined for IPv6 addresses and for invalid text. */
export const parseRange = (cidr: string): AddressRange | undefined => {
  const [address = '', bits = '32'] = cidr.split('/')
  const bytes = address.split('.').map(Number)
  const length = Number(bits)
  const isValid =
    bytes.length === 4 &&
    bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255) &&
    Number.isInteger(length) &&
    length >= 0 &&
    length <= 32
  if (!isValid) return undefined
  const size = 2 ** (32 - length)
  const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
  const first = number - (number % size)
  return [first, first + size - 1]
}

const without = (ranges: readonly AddressRange[], [from, to]: AddressRange): AddressRange[] =>
  ranges.flatMap(([first, last]): AddressRange[] => {
    if (to < first || from > last) return [[first, last]]
    const parts: AddressRange[] = [
      [first, from - 1],
      [to + 1, last],
    ]
    return parts.filter(([start, end]) => start <= end)
  })

/** The addresses of a block without its exceptions. */
export const blockRanges = (cidr: string, except: readonly string[] = []): readonly AddressRange[] => {
  const block = parseRange(cidr)
  if (block === undefined) return []
  const holes = except.map(parseRange).filter((hole) => hole !== undefined)
  return holes.reduce<readonly AddressRange[]>(without, [block])
}

/** Whether the ranges together contain all, some or none of the addresses. */
export const coverageOf = (
  ranges: readonly AddressRange[],
  addresses: readonly AddressRange[],
): 'all' | 'some' | 'none' => {
  const missing = ranges.reduce<readonly AddressRange[]>(without, addresses)
  if (missing.length === 0) return 'all'
  const countOf = (list: readonly AddressRange[]): number =>
    list.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  return countOf(missing) < countOf(addresses) ? 'some' : 'none'
}
