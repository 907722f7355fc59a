/** Injects DNS faults: wrong answers or errors for selected pods and names. */
import type { Answer } from 'dns-packet'
import type { Random } from '#kit'
import type { DnsFaults, DnsInterference } from '#platform/kube/ports'
import { createNameMatcher } from './name-matcher.ts'
import { failure, type Question, RCODE, type Resolution } from './resolve-question.ts'

const TTL_S = 5

interface Rule {
  readonly action: DnsInterference['action']
  matches(name: string): boolean
}

export interface DnsInterferences extends DnsFaults {
  /** The faulty answer for a client address; undefined if no fault applies. */
  faultyAnswer(client: string, question: Question): Resolution | undefined
}

export const createDnsInterferences = (random: Random): DnsInterferences => {
  const rules = new Map<string, Rule[]>()

  const randomBetween = (low: number, high: number): number => low + random.below(high - low + 1)

  /** Between 11.0.0.0 and 126.255.255.255: not in the cluster, not loopback, not multicast. */
  const randomIPv4 = (): string =>
    [randomBetween(11, 126), randomBetween(0, 255), randomBetween(0, 255), randomBetween(1, 254)].join('.')

  /** From the range that is reserved for documentation. */
  const randomIPv6 = (): string =>
    `2001:db8:${Array.from({ length: 6 }, () => random.below(0x10000).toString(16)).join(':')}`

  const randomAnswer = ({ name, type }: Question): Resolution | undefined => {
    if (type !== 'A' && type !== 'AAAA') return undefined
    const data = type === 'A' ? randomIPv4() : randomIPv6()
    const answers: Answer[] = [{ type, name, ttl: TTL_S, data }]
    return { ...failure(RCODE.noError), isAuthority: true, answers }
  }

  return {
    interfere(podIp, { action, patterns }) {
      const rule: Rule = { action, matches: createNameMatcher(patterns) }
      rules.set(podIp, [...(rules.get(podIp) ?? []), rule])
      return () => {
        const remaining = (rules.get(podIp) ?? []).filter((candidate) => candidate !== rule)
        if (remaining.length === 0) rules.delete(podIp)
        else rules.set(podIp, remaining)
      }
    },
    faultyAnswer(client, question) {
      const name = question.name.toLowerCase()
      const rule = rules.get(client)?.find(({ matches }) => matches(name))
      if (rule === undefined) return undefined
      return rule.action === 'error' ? failure(RCODE.serverFailure) : randomAnswer(question)
    },
  }
}
