/** Parses a number of bytes or lines, with a suffix such as M. */

const SUFFIXES: Readonly<Record<string, number>> = {
  b: 512,
  K: 1024,
  k: 1024,
  M: 2 ** 20,
  G: 2 ** 30,
  kB: 1000,
  KB: 1000,
  MB: 1e6,
  GB: 1e9,
}

/** A number such as `10` or `1M`. Undefined for others. */
export const parseSize = (text: string): number | undefined => {
  const [, digits, suffix = ''] = /^(\d+)([a-zA-Z]*)$/.exec(text) ?? []
  const factor = suffix === '' ? 1 : SUFFIXES[suffix]
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor
}
