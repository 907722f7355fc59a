/** The desired state of a part of the packet filter. */

export interface Chain {
  /** For base chains, such as `type filter hook forward priority 0`. */
  readonly hook?: string
  readonly rules: readonly string[]
}

export interface NamedSet {
  /** For example `type ipv4_addr`. A set of the same name must always have the same definition. */
  readonly definition: string
  /** Values of maps; empty strings for sets. Omitted if the kernel fills the set. */
  readonly elements?: ReadonlyMap<string, string>
}

/** Chains, sets and maps by name. */
export interface Ruleset {
  readonly chains: ReadonlyMap<string, Chain>
  readonly sets: ReadonlyMap<string, NamedSet>
  readonly maps: ReadonlyMap<string, NamedSet>
}

export const NO_RULES: Ruleset = { chains: new Map(), sets: new Map(), maps: new Map() }

/** Merges all parts, whose names must be distinct. */
export const joinRulesets = (parts: readonly Ruleset[]): Ruleset => ({
  chains: new Map(parts.flatMap(({ chains }) => [...chains])),
  sets: new Map(parts.flatMap(({ sets }) => [...sets])),
  maps: new Map(parts.flatMap(({ maps }) => [...maps])),
})
