/** Parses the wait time of a blocking Consul query: `30s`, `5m`, `500ms`. */

/** Used if the query sets no valid time. */
const DEFAULT_MS = 300_000
const MAX_MS = 600_000

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }

export const parseWait = (text: string | undefined): number => {
  const [, amount, unit] = /^(\d+)(ms|s|m)$/.exec(text ?? '') ?? []
  return amount === undefined ? DEFAULT_MS : Math.min(Number(amount) * UNIT_MS[unit!]!, MAX_MS)
}
