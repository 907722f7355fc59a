/** Resolves one question: records for names and addresses of the cluster, SERVFAIL for all others. */
import type { Answer, SoaAnswer } from 'dns-packet'
import type { Clock, Random } from '#kit'
import type { ClusterZone, NameData } from './cluster-zone.ts'

export const RCODE = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  noSuchName: 3,
  notImplemented: 4,
  refused: 5,
} as const

export interface Question {
  /** Keeps the letter case of the query, which some clients verify in the answer. */
  readonly name: string
  /** Can be a type that the library does not know, such as `UNKNOWN_65`. */
  readonly type: string
}

export interface Resolution {
  readonly rcode: number
  /** Whether the server is authoritative for the name. */
  readonly isAuthority: boolean
  readonly answers: readonly Answer[]
  readonly authorities: readonly Answer[]
  readonly additionals: readonly Answer[]
}

export interface ResolverOptions {
  zone: ClusterZone
  domain: string
  /** The address of the server. */
  address: string
  clock: Clock
  random: Random
}

const TTL_S = 5
const REVERSE_ZONE = 'in-addr.arpa'
/** The maximum length of a chain of aliases. */
const MAX_ALIASES = 8

export const failure = (rcode: number): Resolution => ({
  rcode,
  isAuthority: false,
  answers: [],
  authorities: [],
  additionals: [],
})

const isInZone = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`)

const addressRecord = (name: string, data: string): Answer => ({ type: 'A', name, ttl: TTL_S, data })

const soaRecord = ({ domain, clock }: ResolverOptions): SoaAnswer => ({
  type: 'SOA',
  name: domain,
  ttl: TTL_S,
  data: {
    mname: `ns.dns.${domain}`,
    rname: `hostmaster.${domain}`,
    serial: Math.floor(clock.now() / 1000),
    refresh: 7200,
    retry: 1800,
    expire: 86_400,
    minimum: TTL_S,
  },
})

/** Spreads clients over the addresses: a client uses the first one. */
const shuffle = <T>(list: readonly T[], random: Random): T[] => {
  const shuffled = [...list]
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const swapIndex = random.below(last + 1)
    ;[shuffled[last], shuffled[swapIndex]] = [shuffled[swapIndex]!, shuffled[last]!]
  }
  return shuffled
}

const success = (
  options: ResolverOptions,
  answers: readonly Answer[],
  additionals: readonly Answer[] = [],
): Resolution => ({
  rcode: RCODE.noError,
  isAuthority: true,
  answers,
  authorities: answers.length === 0 ? [soaRecord(options)] : [],
  additionals,
})

const serviceRecords = (options: ResolverOptions, name: string, { services }: NameData): Resolution => {
  const weight = Math.floor(100 / Math.max(1, services.length))
  const answers = services.map(
    ({ target, port }): Answer => ({
      type: 'SRV',
      name,
      ttl: TTL_S,
      data: { priority: 0, weight, port, target },
    }),
  )
  const targets = [...new Set(services.map(({ target }) => target))]
  return success(
    options,
    answers,
    targets.flatMap((target) =>
      (options.zone.find(target.toLowerCase())?.addresses ?? []).map((ip) => addressRecord(target, ip)),
    ),
  )
}

/** Returns the alias, and the records of its target if the target is in the cluster's zone. */
const aliasRecords = (options: ResolverOptions, name: string, alias: string, type: string): Answer[] => {
  const { zone, domain, random } = options
  const records: Answer[] = []
  let [owner, target]: [string, string | undefined] = [name, alias]
  while (target !== undefined && records.length < MAX_ALIASES) {
    records.push({ type: 'CNAME', name: owner, ttl: TTL_S, data: target })
    const next: NameData | undefined = isInZone(target.toLowerCase(), domain)
      ? zone.find(target.toLowerCase())
      : undefined
    const resolved: string = target
    if (type === 'A')
      for (const ip of shuffle(next?.addresses ?? [], random)) records.push(addressRecord(resolved, ip))
    ;[owner, target] = [resolved, type === 'CNAME' ? undefined : next?.alias]
  }
  return records
}

const resolveApex = (options: ResolverOptions, { name, type }: Question): Resolution | undefined => {
  const serverName = `ns.dns.${options.domain}`
  if (type === 'SOA') return success(options, [{ ...soaRecord(options), name }])
  if (type !== 'NS') return undefined
  const answers: Answer[] = [{ type: 'NS', name, ttl: TTL_S, data: serverName }]
  return success(options, answers, [addressRecord(serverName, options.address)])
}

const resolveInCluster = (options: ResolverOptions, question: Question): Resolution => {
  const { zone, domain, address, random } = options
  const { name, type } = question
  const lowercaseName = name.toLowerCase()
  const apex = lowercaseName === domain ? resolveApex(options, question) : undefined
  if (apex !== undefined) return apex
  if (lowercaseName === `ns.dns.${domain}`)
    return success(options, type === 'A' ? [addressRecord(name, address)] : [])
  const data = zone.find(lowercaseName)
  if (data === undefined) return { ...success(options, []), rcode: RCODE.noSuchName }
  if (data.alias !== undefined) return success(options, aliasRecords(options, name, data.alias, type))
  if (type === 'A')
    return success(
      options,
      shuffle(data.addresses, random).map((ip) => addressRecord(name, ip)),
    )
  if (type === 'SRV') return serviceRecords(options, name, data)
  if (type === 'TXT' && data.texts !== undefined)
    return success(options, [{ type: 'TXT', name, ttl: TTL_S, data: [...data.texts] }])
  return success(options, [])
}

/** Returns a synchronous function that never throws. */
export const createResolver =
  (options: ResolverOptions): ((question: Question) => Resolution) =>
  (question) => {
    const { name, type } = question
    const lowercaseName = name.toLowerCase()
    if (isInZone(lowercaseName, options.domain)) return resolveInCluster(options, question)
    const names = isInZone(lowercaseName, REVERSE_ZONE) ? options.zone.reverse(lowercaseName) : []
    // There is no upstream server for other names.
    if (names.length === 0) return failure(RCODE.serverFailure)
    const answers = names.map((data): Answer => ({ type: 'PTR', name, ttl: TTL_S, data }))
    return success(options, type === 'PTR' ? answers : [])
  }
