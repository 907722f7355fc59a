/** A part of the cluster's packet filter, as it should be. */

export interface Chain {
  /** `type filter hook forward priority 0`, for those that packets meet first. */
  readonly hook?: string
  readonly rules: readonly string[]
}

export interface NamedSet {
  /** `type ipv4_addr` and more. A set of the same name must always have the same definition. */
  readonly definition: string
  /** Absent: the kernel itself fills it. For maps the value, else an empty string. */
  readonly elements?: ReadonlyMap<string, string>
}

/** Chains and sets by their names. */
export interface Ruleset {
  readonly chains: ReadonlyMap<string, Chain>
  readonly sets: ReadonlyMap<string, NamedSet>
  readonly maps: ReadonlyMap<string, NamedSet>
}

export const NO_RULES: Ruleset = { chains: new Map(), sets: new Map(), maps: new Map() }

/** All parts as one; no two may use the same name. */
export const joinRulesets = (parts: readonly Ruleset[]): Ruleset => ({
  chains: new Map(parts.flatMap(({ chains }) => [...chains])),
  sets: new Map(parts.flatMap(({ sets }) => [...sets])),
  maps: new Map(parts.flatMap(({ maps }) => [...maps])),
})
