/** The answer to one question: records for names of the cluster, a server's failure for all others. */
import type { Answer, SoaAnswer } from 'dns-packet'
import type { Clock, Random } from '../../../kit/index.ts'
import type { ClusterZone, Findings } from './cluster-zone.ts'

export const RCODE = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  noSuchName: 3,
  notImplemented: 4,
  refused: 5,
} as const

export interface Question {
  /** As it was asked, capitals included: some clients check that they get them back. */
  readonly name: string
  /** Wider than what the library names: `UNKNOWN_65` and the like. */
  readonly type: string
}

export interface Resolution {
  readonly rcode: number
  /** Whether this server is the one who knows. */
  readonly isAuthority: boolean
  readonly answers: readonly Answer[]
  readonly authorities: readonly Answer[]
  readonly additionals: readonly Answer[]
}

export interface ResolverOptions {
  zone: ClusterZone
  domain: string
  /** Of the server itself. */
  address: string
  clock: Clock
  random: Random
}

const TTL_S = 5
const REVERSE_ZONE = 'in-addr.arpa'
/** Names that stand for names that stand for names. */
const MAX_ALIASES = 8

export const failure = (rcode: number): Resolution => ({
  rcode,
  isAuthority: false,
  answers: [],
  authorities: [],
  additionals: [],
})

const isBelow = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`)

const addressRecord = (name: string, data: string): Answer => ({ type: 'A', name, ttl: TTL_S, data })

/** Gives a function that answers at once and never throws. */
export const createResolver = (options: ResolverOptions): ((question: Question) => Resolution) => {
  const { zone, domain, address, clock, random } = options
  const ownName = `ns.dns.${domain}`

  const soa = (): SoaAnswer => ({
    type: 'SOA',
    name: domain,
    ttl: TTL_S,
    data: {
      mname: ownName,
      rname: `hostmaster.${domain}`,
      serial: Math.floor(clock.now() / 1000),
      refresh: 7200,
      retry: 1800,
      expire: 86_400,
      minimum: TTL_S,
    },
  })

  /** Clients take the first: each gets another one. */
  const shuffled = <T>(list: readonly T[]): T[] => {
    const rest = [...list]
    for (let last = rest.length - 1; last > 0; last -= 1) {
      const other = random.below(last + 1)
      ;[rest[last], rest[other]] = [rest[other]!, rest[last]!]
    }
    return rest
  }

  const found = (answers: readonly Answer[], additionals: readonly Answer[] = []): Resolution => ({
    rcode: RCODE.noError,
    isAuthority: true,
    answers,
    authorities: answers.length === 0 ? [soa()] : [],
    additionals,
  })

  const serviceRecords = (name: string, { services }: Findings): Resolution => {
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
    return found(
      answers,
      targets.flatMap((target) =>
        (zone.find(target.toLowerCase())?.addresses ?? []).map((ip) => addressRecord(target, ip)),
      ),
    )
  }

  /** The alias, and what it leads to as far as that is ours to know. */
  const aliasRecords = (name: string, alias: string, type: string): Answer[] => {
    const records: Answer[] = []
    let [owner, target]: [string, string | undefined] = [name, alias]
    while (target !== undefined && records.length < MAX_ALIASES) {
      records.push({ type: 'CNAME', name: owner, ttl: TTL_S, data: target })
      const next: Findings | undefined = isBelow(target.toLowerCase(), domain)
        ? zone.find(target.toLowerCase())
        : undefined
      const home: string = target
      if (type === 'A')
        for (const ip of shuffled(next?.addresses ?? [])) records.push(addressRecord(home, ip))
      ;[owner, target] = [home, type === 'CNAME' ? undefined : next?.alias]
    }
    return records
  }

  const atApex = (name: string, type: string): Resolution | undefined => {
    if (type === 'SOA') return found([{ ...soa(), name }])
    if (type === 'NS')
      return found([{ type: 'NS', name, ttl: TTL_S, data: ownName }], [addressRecord(ownName, address)])
    return undefined
  }

  const inCluster = (name: string, lower: string, type: string): Resolution => {
    const special = lower === domain ? atApex(name, type) : undefined
    if (special !== undefined) return special
    if (lower === ownName) return found(type === 'A' ? [addressRecord(name, address)] : [])
    const findings = zone.find(lower)
    if (findings === undefined) return { ...found([]), rcode: RCODE.noSuchName }
    if (findings.alias !== undefined) return found(aliasRecords(name, findings.alias, type))
    if (type === 'A') return found(shuffled(findings.addresses).map((ip) => addressRecord(name, ip)))
    if (type === 'SRV') return serviceRecords(name, findings)
    if (type === 'TXT' && findings.texts !== undefined)
      return found([{ type: 'TXT', name, ttl: TTL_S, data: [...findings.texts] }])
    return found([])
  }

  return ({ name, type }) => {
    const lower = name.toLowerCase()
    if (isBelow(lower, domain)) return inCluster(name, lower, type)
    const names = isBelow(lower, REVERSE_ZONE) ? zone.reverse(lower) : []
    // Nobody is there to be asked about the rest of the world.
    if (names.length === 0) return failure(RCODE.serverFailure)
    return found(type === 'PTR' ? names.map((data): Answer => ({ type: 'PTR', name, ttl: TTL_S, data })) : [])
  }
}
