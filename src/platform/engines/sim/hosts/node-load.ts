/**
 * The load of one simulated node: if its threads demand more than its cores, each thread runs slower. Only stress counts as load.
 * Programs run for a small part of the time; each receives the share that the scheduler would give to its container.
 */

export interface NodeMember {
  /** The number of threads, besides that of the program, that are always runnable. */
  setBusyThreads(count: number): void
  leave(): void
}

export interface NodeMemberOptions {
  /** The weight of the container in the competition for CPU time. */
  readonly shares: number
  /** In cores; 0 and undefined mean that there is no limit. */
  readonly limit?: number | undefined
  /** Called when the CPU time per millisecond of each running thread changes; it is initially 1. */
  readonly setSpeed: (speed: number) => void
}

export interface NodeLoad {
  /** Adds a container. */
  join(options: NodeMemberOptions): NodeMember
}

interface Member {
  readonly shares: number
  readonly limit: number
  readonly setSpeed: (speed: number) => void
  busyThreads: number
  speed: number
}

/** The cores that the busy threads of a container demand. */
const demandOf = ({ busyThreads, limit }: Member): number => Math.min(busyThreads, limit)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

export const createNodeLoad = (cores: number): NodeLoad => {
  const members = new Set<Member>()

  /** A container receives its share of the node, or the CPU that the others do not use if that is more. */
  const speedOf = (member: Member, busy: readonly Member[]): number => {
    const others = busy.filter((each) => each !== member)
    const share = (cores * member.shares) / (member.shares + sum(others.map(({ shares }) => shares)))
    const rest = cores - sum(others.map(demandOf))
    return Math.min(1, Math.max(share, rest) / (member.busyThreads + 1))
  }

  const update = (): void => {
    const busy = [...members].filter(({ busyThreads }) => busyThreads > 0)
    const isOverloaded = sum(busy.map(demandOf)) + 1 > cores
    for (const member of members) {
      const speed = isOverloaded ? speedOf(member, busy) : 1
      if (speed === member.speed) continue
      member.speed = speed
      member.setSpeed(speed)
    }
  }

  return {
    join({ shares, limit, setSpeed }) {
      const member: Member = {
        shares,
        limit: limit || Number.POSITIVE_INFINITY,
        setSpeed,
        busyThreads: 0,
        speed: 1,
      }
      members.add(member)
      update()
      return {
        setBusyThreads(count) {
          member.busyThreads = count
          update()
        },
        leave() {
          members.delete(member)
          if (member.busyThreads > 0) update()
        },
      }
    },
  }
}
