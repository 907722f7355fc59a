/** The command line of the health probe, with the flag syntax of Go. */

export interface ProbeOptions {
  readonly address: string
  readonly host: string
  readonly port: number
  readonly service: string
  readonly connectMs: number
  readonly rpcMs: number
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

const parseDuration = (text: string, flag: string): number => {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text))
    throw new Error(`invalid duration ${JSON.stringify(text)} for flag -${flag}`)
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    total += Number(amount) * UNIT_MS[unit!]!
  return total
}

export const toDurationText = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${milliseconds}ms`
  const minutes = Math.floor(milliseconds / 60_000)
  return `${minutes ? `${minutes}m` : ''}${(milliseconds % 60_000) / 1000}s`
}

const FLAGS = new Set(['addr', 'service', 'user-agent', 'connect-timeout', 'rpc-timeout'])

const readFlags = (args: readonly string[]): Map<string, string> => {
  const flags = new Map<string, string>()
  for (let at = 0; at < args.length; at++) {
    const [, name, , inlineValue] = /^--?([^=]+)(=(.*))?$/.exec(args[at]!) ?? []
    if (!name) throw new Error(`unexpected argument ${JSON.stringify(args[at])}`)
    if (name === 'v') continue
    if (!FLAGS.has(name)) throw new Error(`flag provided but not defined: -${name}`)
    const value = inlineValue ?? args[++at]
    if (value === undefined) throw new Error(`flag needs an argument: -${name}`)
    flags.set(name, value)
  }
  return flags
}

/** Throws an error that describes the invalid flag. */
export const parseProbeOptions = (args: readonly string[]): ProbeOptions => {
  const flags = readFlags(args)
  const address = flags.get('addr')
  if (!address) throw new Error('-addr not specified')
  const [, host, port] = /^(.*):(\d+)$/.exec(address) ?? []
  if (port === undefined) throw new Error(`-addr has no port: ${JSON.stringify(address)}`)
  return {
    address,
    host: host?.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(port),
    service: flags.get('service') ?? '',
    connectMs: parseDuration(flags.get('connect-timeout') ?? '1s', 'connect-timeout'),
    rpcMs: parseDuration(flags.get('rpc-timeout') ?? '1s', 'rpc-timeout'),
  }
}
