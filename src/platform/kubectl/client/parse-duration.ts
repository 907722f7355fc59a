/** Parses a duration in the notation of Go. */

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 0.001,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
}

/** Seconds of a Go duration such as `1m30s`; undefined if it is invalid. */
export const parseDuration = (text: string): number | undefined => {
  if (/^[-+]?0$/.test(text)) return 0
  const [, sign, parts] = /^([-+]?)((?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+)$/.exec(text) ?? []
  if (parts === undefined) return undefined
  const seconds = [...parts.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)].reduce(
    (total, [, number, unit]) => total + Number(number) * UNIT_SECONDS[unit!]!,
    0,
  )
  return sign === '-' ? -seconds : seconds
}
