/** Who of the members of a MySQL cluster leads: what one member decides from what it sees of the others. */

/** What a member says of itself. */
export interface MemberState {
  readonly name: string
  readonly leading: boolean
  /** Counts the changes of leader. */
  readonly term: number
  /** Its MySQL answers. */
  readonly alive: boolean
  /** How far its data are. */
  readonly position: number
  /** It carried the label of the leader when this all began. */
  readonly labelled: boolean
}

export interface View {
  readonly self: MemberState
  /** Those of the others that answered. */
  readonly others: readonly MemberState[]
  /** All that should be there, with oneself. */
  readonly members: number
  /** For how long nobody was known to lead; infinite where nobody ever was. */
  readonly leaderlessMs: number
  /** For how long one has been there oneself. */
  readonly startedMs: number
  /** For how long one's own MySQL did not answer. */
  readonly deadMs: number
  /** For how long less than half of the members answered. */
  readonly aloneMs: number
}

export type Decision =
  | { readonly lead: number }
  | { readonly follow: string; readonly term: number }
  | 'resign'
  | 'wait'

/** A member that is silent for so long is lost. */
export const PATIENCE_MS = 10_000

/** At the beginning of all those who are not there yet are waited for so long. */
const GATHERING_MS = 1_500

const ordinalOf = (name: string): number => Number(/-(\d+)$/.exec(name)?.[1] ?? 0)

/** The newest data, then the one who led before, then the first. */
const compare = (one: MemberState, other: MemberState): number =>
  other.position - one.position ||
  Number(other.labelled) - Number(one.labelled) ||
  ordinalOf(one.name) - ordinalOf(other.name)

/** Of two that lead the later one is right. */
const beats = (one: MemberState, other: MemberState): boolean =>
  one.term > other.term || (one.term === other.term && ordinalOf(one.name) < ordinalOf(other.name))

const decideAsLeader = ({ self, others, deadMs, aloneMs }: View): Decision => {
  const rival = others.find((other) => other.leading && beats(other, self))
  if (rival !== undefined) return { follow: rival.name, term: rival.term }
  return deadMs >= PATIENCE_MS || aloneMs >= PATIENCE_MS ? 'resign' : { lead: self.term }
}

export const decide = (view: View): Decision => {
  const { self, others, members } = view
  if (self.leading) return decideAsLeader(view)
  const leader = others
    .filter(({ leading, alive }) => leading && alive)
    .sort((one, other) => (beats(one, other) ? -1 : 1))[0]
  if (leader !== undefined) return { follow: leader.name, term: leader.term }
  const candidates = [self, ...others].filter(({ alive }) => alive)
  if (view.startedMs < GATHERING_MS && candidates.length < members) return 'wait'
  const isQuorum = others.length + 1 > members / 2
  // One that is there and says that its MySQL is silent has its patience too.
  if (!isQuorum || !self.alive || view.leaderlessMs < PATIENCE_MS) return 'wait'
  const best = candidates.sort(compare)[0]
  if (best !== self) return 'wait'
  return { lead: Math.max(...[self, ...others].map(({ term }) => term)) + 1 }
}
