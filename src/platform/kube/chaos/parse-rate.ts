/** Parses rates of NetworkChaos: `1mbps` is 1024² bytes per second, `1mbit` is 1000² bits per second. */

const POWERS: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 }

/** Returns bits per second, or undefined if the rate is invalid. */
export const parseRate = (text: string): number | undefined => {
  const match = /^(\d+)\s*([kmgt]?)(bps|bit)$/.exec(text.trim().toLowerCase())
  if (match === null) return undefined
  const [, amount, prefix, unit] = match
  const power = POWERS[prefix!]!
  return unit === 'bps' ? Number(amount) * 1024 ** power * 8 : Number(amount) * 1000 ** power
}
