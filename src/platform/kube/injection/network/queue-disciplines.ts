/**
 * The queueing disciplines of a pod's device as one tree, which is recreated whenever a fault is added or removed.
 * Disciplines for all peers are nested at the root; below them is a class for each group of peers.
 */
import { defined } from '#kit'
import { type NetworkNamespace, runProgram } from '#machine/linux'
import { isWithin, type PeerRange, parsePeer } from '#platform/kube/packets'
import type { PacketEffects } from '#platform/kube/ports'

export interface ShapedFault {
  readonly id: string
  readonly peers?: readonly string[]
  /** In the syntax of `tc`, outermost first, such as `tbf rate 1mbit ...`. */
  readonly disciplines: readonly string[]
}

/** The kernel rejects a bucket smaller than one packet. */
const MIN_BUCKET_BYTES = 1600

export const toTokenBucket = (bandwidth: NonNullable<PacketEffects['bandwidth']>): string => {
  const { rate, limit, buffer, peakrate, minburst } = bandwidth
  const bucket = Math.max(buffer, MIN_BUCKET_BYTES)
  const peak =
    peakrate === undefined || peakrate <= rate
      ? ''
      : ` peakrate ${peakrate}bit minburst ${Math.max(minburst ?? 0, MIN_BUCKET_BYTES)}`
  return `tbf rate ${rate}bit burst ${bucket} limit ${Math.max(limit, bucket)}${peak}`
}

/** Writes the effects on individual packets in the syntax of netem. Duplication is not supported. */
export const toNetem = ({ delay, reorder, loss, corrupt }: PacketEffects): string => {
  const chanceText = (name: string, value: { percent: number; correlation: number } | undefined): string =>
    value === undefined || value.percent <= 0 ? '' : ` ${name} ${value.percent}% ${value.correlation}%`
  const delayText =
    delay === undefined
      ? ''
      : ` delay ${delay.latencyMs}ms${delay.jitterMs > 0 ? ` ${delay.jitterMs}ms ${delay.correlation}%` : ''}`
  // netem rejects reordering without a delay.
  const reorderText = (delay?.latencyMs ?? 0) > 0 ? chanceText('reorder', reorder) : ''
  const gap = reorderText === '' ? '' : ` gap ${Math.max(reorder!.gap, 1)}`
  const lossText = `${chanceText('loss', loss)}${chanceText('corrupt', corrupt)}`
  return `netem limit 32768${delayText}${reorderText}${gap}${lossText}`
}

interface PeerClass {
  readonly peers: readonly PeerRange[]
  readonly disciplines: readonly string[]
}

/** Peers with the same faults share a class and its token bucket. */
const toClasses = (faults: readonly ShapedFault[]): readonly PeerClass[] => {
  const parsed = faults.map((fault) => ({ fault, ranges: (fault.peers ?? []).map(parsePeer) }))
  const peersByText = new Map(
    parsed.flatMap(({ ranges }) => ranges.map((range) => [range.text, range] as const)),
  )
  const classes = new Map<string, { peers: PeerRange[]; disciplines: readonly string[] }>()
  for (const peer of peersByText.values()) {
    const matching = parsed.filter(({ ranges }) => ranges.some((range) => isWithin(peer, range)))
    const key = matching.map(({ fault }) => fault.id).join(' ')
    const existing = classes.get(key)
    if (existing !== undefined) existing.peers.push(peer)
    else classes.set(key, { peers: [peer], disciplines: matching.flatMap(({ fault }) => fault.disciplines) })
  }
  return [...classes.values()]
}

/** Nests the disciplines. `inner` is the parent of a discipline that follows. */
const nest = (
  parent: string,
  nextHandle: () => string,
  disciplines: readonly string[],
): { lines: readonly string[]; inner: string } => {
  let inner = parent
  const lines = disciplines.map((discipline) => {
    const id = nextHandle()
    const line = `qdisc add dev eth0 ${inner} handle ${id}: ${discipline}`
    inner = `parent ${id}:1`
    return line
  })
  return { lines, inner }
}

/** Returns the input of `tc -batch` that creates the tree on a device without one. */
export const toTree = (faults: readonly ShapedFault[]): readonly string[] => {
  let last = 0
  const nextHandle = (): string => {
    last += 1
    return last.toString(16)
  }
  const shared = faults.filter(({ peers }) => peers === undefined).flatMap(({ disciplines }) => disciplines)
  const { lines, inner } = nest('root', nextHandle, shared)
  const classes = toClasses(faults.filter(({ peers }) => peers !== undefined))
  if (classes.length === 0) return lines
  const htbHandle = nextHandle()
  // Traffic that matches no class is not shaped, because the default class of htb is 0.
  const branches = classes.flatMap(({ peers, disciplines }, index) => {
    const classId = `${htbHandle}:${(index + 1).toString(16)}`
    return [
      `class add dev eth0 parent ${htbHandle}: classid ${classId} htb rate 100gbit quantum 60000`,
      ...nest(`parent ${classId}`, nextHandle, disciplines).lines,
      // Longer prefixes are matched first.
      ...peers.map(
        ({ text, prefix }) =>
          `filter add dev eth0 parent ${htbHandle}: protocol ip prio ${33 - prefix} u32 match ip dst ${text} flowid ${classId}`,
      ),
    ]
  })
  return [...lines, `qdisc add dev eth0 ${inner} handle ${htbHandle}: htb default 0`, ...branches]
}

/** Replaces the tree of the device. */
export const shapeDevice = async (
  namespace: NetworkNamespace,
  faults: readonly ShapedFault[],
  environment: Readonly<Record<string, string>>,
): Promise<void> => {
  const runTc = (args: readonly string[], input?: string) =>
    runProgram('tc', args, { namespace, environment, ...defined({ input }) })
  // The result is ignored: the command fails if there is no tree.
  await runTc(['qdisc', 'del', 'dev', 'eth0', 'root'])
  const tree = toTree(faults)
  if (tree.length === 0) return
  const { exitCode, stderr } = await runTc(['-batch', '-'], `${tree.join('\n')}\n`)
  if (exitCode !== 0)
    throw new Error(`tc rejected the queueing disciplines of the pod: ${stderr.trim().split('\n')[0]}`)
}
