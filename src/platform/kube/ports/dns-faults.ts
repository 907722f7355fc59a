/** The port between faults and the cluster's DNS. */

export interface DnsInterference {
  /** `error` answers SERVFAIL; `random` answers with a random address outside the cluster. */
  action: 'error' | 'random'
  /** Names such as `google.com`, `chaos-mesh.*` and `github.?om`; an empty list matches every name. */
  patterns: readonly string[]
}

export interface DnsFaults {
  /** Applies the rule to queries from this address until the returned function is called. */
  interfere(podIp: string, rule: DnsInterference): () => void
}
