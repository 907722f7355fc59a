/** The leader election of a MySQL cluster: each member decides from the states of all members. */

/** The state that a member reports. */
export interface MemberState {
  readonly name: string
  readonly leading: boolean
  /** Increases with every change of the leader. */
  readonly term: number
  /** Whether its MySQL server answers. */
  readonly alive: boolean
  /** Position of its data in the log. */
  readonly position: number
  /** Whether its pod had the label of the leader at startup. */
  readonly labelled: boolean
}

export interface View {
  readonly self: MemberState
  /** The other members that answered. */
  readonly others: readonly MemberState[]
  /** Number of members, including this one. */
  readonly members: number
  /** Time since a leader was last seen; infinite if none ever was, or if the last one is known to be gone. */
  readonly leaderlessMs: number
  /** Time since this member started. */
  readonly uptimeMs: number
  /** Time since the member's own MySQL server last answered. */
  readonly mysqlSilentMs: number
  /** Time since a majority of the members last answered. */
  readonly withoutQuorumMs: number
}

export type Decision =
  | { readonly lead: number }
  | { readonly follow: string; readonly term: number }
  | 'resign'
  | 'wait'

/** A member that does not answer for this long is considered lost. */
export const MEMBER_TIMEOUT_MS = 10_000

/** How long a starting member waits for missing members. */
const STARTUP_WAIT_MS = 1_500

const ordinalOf = (name: string): number => Number(/-(\d+)$/.exec(name)?.[1] ?? 0)

/** Orders candidates: the newest data, then the former leader, then the lowest ordinal. */
const compare = (a: MemberState, b: MemberState): number =>
  b.position - a.position || Number(b.labelled) - Number(a.labelled) || ordinalOf(a.name) - ordinalOf(b.name)

/** The leader with the later term wins. In the same term, the leader with the lower ordinal wins. */
const supersedes = (a: MemberState, b: MemberState): boolean =>
  a.term > b.term || (a.term === b.term && ordinalOf(a.name) < ordinalOf(b.name))

const decideAsLeader = ({ self, others, mysqlSilentMs, withoutQuorumMs }: View): Decision => {
  const rival = others.find((other) => other.leading && supersedes(other, self))
  if (rival !== undefined) return { follow: rival.name, term: rival.term }
  return mysqlSilentMs >= MEMBER_TIMEOUT_MS || withoutQuorumMs >= MEMBER_TIMEOUT_MS
    ? 'resign'
    : { lead: self.term }
}

export const decide = (view: View): Decision => {
  const { self, others, members } = view
  if (self.leading) return decideAsLeader(view)
  const leader = others
    .filter(({ leading, alive }) => leading && alive)
    .sort((a, b) => (supersedes(a, b) ? -1 : 1))[0]
  if (leader !== undefined) return { follow: leader.name, term: leader.term }
  const candidates = [self, ...others].filter(({ alive }) => alive)
  if (view.uptimeMs < STARTUP_WAIT_MS && candidates.length < members) return 'wait'
  const hasQuorum = others.length + 1 > members / 2
  // A leader whose MySQL server does not answer keeps its role until the timeout.
  if (!hasQuorum || !self.alive || view.leaderlessMs < MEMBER_TIMEOUT_MS) return 'wait'
  const best = candidates.sort(compare)[0]
  if (best !== self) return 'wait'
  return { lead: Math.max(...[self, ...others].map(({ term }) => term)) + 1 }
}
