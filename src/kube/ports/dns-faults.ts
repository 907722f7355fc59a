/** The port by which faults reach the cluster's DNS. */

export interface DnsInterference {
  /** `error` answers SERVFAIL; `random` answers with an address that nobody has. */
  action: 'error' | 'random'
  /** Names such as `google.com`, `chaos-mesh.*` and `github.?om`; none stand for every name. */
  patterns: readonly string[]
}

export interface DnsFaults {
  /** Spoils the answers to questions that come from this address, until the result is called. */
  interfere(podIp: string, rule: DnsInterference): () => void
}
