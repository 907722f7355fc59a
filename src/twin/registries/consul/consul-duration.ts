/** How long a blocking query of Consul may wait: `30s`, `5m`, `500ms`. */

/** Where nothing is said. */
const USUAL_MS = 300_000
const MOST_MS = 600_000

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }

export const parseWait = (text: string | undefined): number => {
  const [, amount, unit] = /^(\d+)(ms|s|m)$/.exec(text ?? '') ?? []
  return amount === undefined ? USUAL_MS : Math.min(Number(amount) * UNIT_MS[unit!]!, MOST_MS)
}
