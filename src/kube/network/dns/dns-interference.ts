/** The faults of a cluster's DNS: answers that are spoilt for the pods of some addresses. */
import type { Answer } from 'dns-packet'
import type { Random } from '../../../kit/index.ts'
import type { DnsFaults, DnsInterference } from '../../ports/index.ts'
import { createNameMatcher } from './name-pattern.ts'
import { failure, type Question, RCODE, type Resolution } from './resolve-question.ts'

const TTL_S = 5

interface Rule {
  readonly action: DnsInterference['action']
  isMeant(name: string): boolean
}

export interface DnsInterferences extends DnsFaults {
  /** The spoilt answer to a question from this address; nothing where it is to be answered well. */
  spoil(client: string, question: Question): Resolution | undefined
}

export const createDnsInterferences = (random: Random): DnsInterferences => {
  const rules = new Map<string, Rule[]>()

  const between = (low: number, high: number): number => low + random.below(high - low + 1)

  /** Never of the cluster, of a loopback or of a group: 11.0.0.0 to 126.255.255.255. */
  const anyAddress = (): string =>
    [between(11, 126), between(0, 255), between(0, 255), between(1, 254)].join('.')

  /** Of the range that is for documents only. */
  const anyLongAddress = (): string =>
    `2001:db8:${Array.from({ length: 6 }, () => random.below(0x10000).toString(16)).join(':')}`

  const misled = ({ name, type }: Question): Resolution | undefined => {
    if (type !== 'A' && type !== 'AAAA') return undefined
    const data = type === 'A' ? anyAddress() : anyLongAddress()
    const answers: Answer[] = [{ type, name, ttl: TTL_S, data }]
    return { ...failure(RCODE.noError), isAuthority: true, answers }
  }

  return {
    interfere(podIp, { action, patterns }) {
      const rule: Rule = { action, isMeant: createNameMatcher(patterns) }
      rules.set(podIp, [...(rules.get(podIp) ?? []), rule])
      return () => {
        const left = (rules.get(podIp) ?? []).filter((one) => one !== rule)
        if (left.length === 0) rules.delete(podIp)
        else rules.set(podIp, left)
      }
    },
    spoil(client, question) {
      const name = question.name.toLowerCase()
      const rule = rules.get(client)?.find(({ isMeant }) => isMeant(name))
      if (rule === undefined) return undefined
      return rule.action === 'error' ? failure(RCODE.serverFailure) : misled(question)
    },
  }
}
