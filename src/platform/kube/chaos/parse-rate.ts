/** Parses rates of NetworkChaos: `1mbps` in bytes, powers of 1024; `1mbit` in bits, powers of 1000. */

const POWERS: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 }

/** Returns bits per second, or undefined if the rate is invalid. */
export const parseRate = (text: string): number | undefined => {
  const match = /^(\d+)\s*([kmgt]?)(bps|bit)$/.exec(text.trim().toLowerCase())
  if (match === null) return undefined
  const [, amount, prefix, unit] = match
  const power = POWERS[prefix!]!
  return unit === 'bps' ? Number(amount) * 1024 ** power * 8 : Number(amount) * 1000 ** power
}
