/**
 * The queueing disciplines of a pod's device as one tree, written anew whenever a fault comes or goes: what
 * holds for all peers lies at the root, one inside the other; below it a class for each group of peers.
 */
import { type NetworkNamespace, runProgram } from '../../../linux/index.ts'
import type { PacketEffects } from '../../ports/index.ts'
import { isWithin, type PeerRange, parsePeer } from './peer-set.ts'

export interface ShapedFault {
  readonly id: string
  readonly peers?: readonly string[]
  /** In the words of `tc`, the outermost first: `tbf rate 1mbit ...`. */
  readonly disciplines: readonly string[]
}

/** Bytes that the device may send at once; the kernel refuses a bucket in which not even one packet fits. */
const LEAST_BUCKET = 1600

export const toTokenBucket = (bandwidth: NonNullable<PacketEffects['bandwidth']>): string => {
  const { rate, limit, buffer, peakrate, minburst } = bandwidth
  const bucket = Math.max(buffer, LEAST_BUCKET)
  const peak =
    peakrate === undefined || peakrate <= rate
      ? ''
      : ` peakrate ${peakrate}bit minburst ${Math.max(minburst ?? 0, LEAST_BUCKET)}`
  return `tbf rate ${rate}bit burst ${bucket} limit ${Math.max(limit, bucket)}${peak}`
}

/** The effects on single packets in the words of netem, for kernels that have it; all but the doubling of them. */
export const toNetem = ({ delay, reorder, loss, corrupt }: PacketEffects): string => {
  const chance = (name: string, value: { percent: number; correlation: number } | undefined): string =>
    value === undefined || value.percent <= 0 ? '' : ` ${name} ${value.percent}% ${value.correlation}%`
  const wait =
    delay === undefined
      ? ''
      : ` delay ${delay.latencyMs}ms${delay.jitterMs > 0 ? ` ${delay.jitterMs}ms ${delay.correlation}%` : ''}`
  // netem refuses to let packets overtake others that do not wait.
  const overtaking = (delay?.latencyMs ?? 0) > 0 ? chance('reorder', reorder) : ''
  const gap = overtaking === '' ? '' : ` gap ${Math.max(reorder!.gap, 1)}`
  return `netem limit 32768${wait}${overtaking}${gap}${chance('loss', loss)}${chance('corrupt', corrupt)}`
}

interface PeerClass {
  readonly peers: readonly PeerRange[]
  readonly disciplines: readonly string[]
}

/** The peers that are under the same faults share a class, and with it one bucket. */
const toClasses = (faults: readonly ShapedFault[]): readonly PeerClass[] => {
  const named = faults.map((fault) => ({ fault, ranges: (fault.peers ?? []).map(parsePeer) }))
  const all = new Map(named.flatMap(({ ranges }) => ranges.map((range) => [range.text, range] as const)))
  const classes = new Map<string, { peers: PeerRange[]; disciplines: readonly string[] }>()
  for (const peer of all.values()) {
    const hitting = named.filter(({ ranges }) => ranges.some((range) => isWithin(peer, range)))
    const key = hitting.map(({ fault }) => fault.id).join(' ')
    const known = classes.get(key)
    if (known !== undefined) known.peers.push(peer)
    else classes.set(key, { peers: [peer], disciplines: hitting.flatMap(({ fault }) => fault.disciplines) })
  }
  return [...classes.values()]
}

/** Disciplines inside one another, and where the next one would go. */
const nest = (
  parent: string,
  handle: () => string,
  disciplines: readonly string[],
): { lines: readonly string[]; inner: string } => {
  let inner = parent
  const lines = disciplines.map((discipline) => {
    const own = handle()
    const line = `qdisc add dev eth0 ${inner} handle ${own}: ${discipline}`
    inner = `parent ${own}:1`
    return line
  })
  return { lines, inner }
}

/** What `tc -batch` makes the tree from, on a device without one. */
export const toTree = (faults: readonly ShapedFault[]): readonly string[] => {
  let last = 0
  const handle = (): string => {
    last += 1
    return last.toString(16)
  }
  const common = faults.filter(({ peers }) => peers === undefined).flatMap(({ disciplines }) => disciplines)
  const { lines, inner } = nest('root', handle, common)
  const classes = toClasses(faults.filter(({ peers }) => peers !== undefined))
  if (classes.length === 0) return lines
  const top = handle()
  // Who is in no class passes as if there were no tree: class 0 of htb.
  const branches = classes.flatMap(({ peers, disciplines }, index) => {
    const own = `${top}:${(index + 1).toString(16)}`
    return [
      `class add dev eth0 parent ${top}: classid ${own} htb rate 100gbit quantum 60000`,
      ...nest(`parent ${own}`, handle, disciplines).lines,
      // The narrower range is asked first.
      ...peers.map(
        ({ text, prefix }) =>
          `filter add dev eth0 parent ${top}: protocol ip prio ${33 - prefix} u32 match ip dst ${text} flowid ${own}`,
      ),
    ]
  })
  return [...lines, `qdisc add dev eth0 ${inner} handle ${top}: htb default 0`, ...branches]
}

/** Puts the tree for these faults in the place of the one before. */
export const shapeDevice = async (
  namespace: NetworkNamespace,
  faults: readonly ShapedFault[],
  environment: Readonly<Record<string, string>>,
): Promise<void> => {
  const run = (args: readonly string[], input?: string) =>
    runProgram('tc', args, { namespace, environment, ...(input === undefined ? {} : { input }) })
  // Fails where there was none.
  await run(['qdisc', 'del', 'dev', 'eth0', 'root'])
  const tree = toTree(faults)
  if (tree.length === 0) return
  const { exitCode, stderr } = await run(['-batch', '-'], `${tree.join('\n')}\n`)
  if (exitCode !== 0) throw new Error(`tc refused the bandwidth of the pod: ${stderr.trim().split('\n')[0]}`)
}
