/** Handles the packets of one pod: receives them from the kernel, applies the faults, and sends the remaining ones. */
import type { Random, TimerHeap } from '#kit'
import { createPacketSockets, type PacketSockets } from '#machine/linux'
import {
  createEffectsState,
  needsWholePackets,
  nextCopies,
  type PacketCopy,
  type PeerRange,
  parsePeer,
} from '#platform/kube/packets'
import type { PacketEffects } from '#platform/kube/ports'
import { createHeldPackets } from './held-packets.ts'
import { destinationOf, flipBit, isComplete, isIpv4 } from './ip-packet.ts'
import {
  ACCEPT,
  DROP,
  parseMessage,
  type QueuedPacket,
  toConfiguration,
  VERDICT_BYTES,
  writeVerdict,
} from './netfilter-messages.ts'

/** The number of the netfilter queue in each pod's namespace. */
export const QUEUE_NUMBER = 0x526d
/** The mark of handled packets, which are not queued again. */
export const PASSED_MARK = 0x52_6d_64
const MAX_QUEUED_PACKETS = 32_768
/** Enough for the IP addresses; used if no fault needs the whole packet. */
const HEADER_BYTES = 96
const MAX_PACKET_BYTES = 0xffff
/** The number of packets handled per turn. */
const BATCH_PACKETS = 128

/** A fault on the packets of a pod. */
export interface PacketFault {
  readonly id: string
  readonly peers?: readonly string[]
  readonly effects: PacketEffects
}

interface ActiveFault {
  readonly peers: readonly PeerRange[] | undefined
  readonly effects: PacketEffects
  apply(): readonly PacketCopy[]
}

export interface PacketQueue {
  /** Readable if packets are queued. */
  readonly fd: number
  /** Replaces the active faults; packets held by removed faults are sent at once. */
  setFaults(faults: readonly PacketFault[]): void
  /** Handles one batch of queued packets. */
  receive(): void
  close(): void
}

const bindQueue = (sockets: PacketSockets): void => {
  const settings = { bind: true, copyRange: HEADER_BYTES, maxLength: MAX_QUEUED_PACKETS, unsegmented: true }
  sockets.sendMessages(toConfiguration(QUEUE_NUMBER, settings))
  const answer = parseMessage(sockets.receive(Buffer.alloc(1024), true) ?? Buffer.alloc(0))
  if (answer?.type !== 'answer' || answer.errno !== 0)
    throw new Error(
      `the kernel cannot queue the packets of the pod (errno ${answer?.type === 'answer' ? answer.errno : 'unknown'})`,
    )
}

const openQueue = (namespacePath: string): PacketSockets => {
  const sockets = createPacketSockets(namespacePath, PASSED_MARK)
  try {
    bindQueue(sockets)
    return sockets
  } catch (error) {
    sockets.close()
    throw error
  }
}

/** Returns the copies of a packet that remain after all faults. */
const applyFaults = (faults: readonly ActiveFault[]): readonly PacketCopy[] =>
  faults.reduce<readonly PacketCopy[]>(
    (copies, fault) =>
      copies.flatMap((copy) =>
        fault.apply().map(({ delayMs, corrupt }) => ({
          delayMs: copy.delayMs + delayMs,
          corrupt: copy.corrupt || corrupt,
        })),
      ),
    [{ delayMs: 0, corrupt: false }],
  )

interface Verdicts {
  add(packetId: number, verdict: number): void
  flush(): void
}

/** Collects the verdicts of one batch and sends them together. */
const createVerdicts = (sockets: PacketSockets): Verdicts => {
  const bytes = Buffer.alloc(BATCH_PACKETS * VERDICT_BYTES)
  let count = 0
  return {
    add(packetId, verdict) {
      const offset = count * VERDICT_BYTES
      writeVerdict(bytes.subarray(offset, offset + VERDICT_BYTES), QUEUE_NUMBER, packetId, verdict)
      count += 1
    },
    flush() {
      if (count > 0) sockets.sendMessages(bytes.subarray(0, count * VERDICT_BYTES))
      count = 0
    },
  }
}

export interface PacketQueueOptions {
  namespacePath: string
  mtu: number
  timers: TimerHeap
  random: Random
  /** Shared by all queues of the thread; overwritten by each read. */
  buffer: Buffer
}

export const createPacketQueue = (options: PacketQueueOptions): PacketQueue => {
  const { timers, random, buffer } = options
  const sockets = openQueue(options.namespacePath)
  const active = new Map<string, ActiveFault>()
  const verdicts = createVerdicts(sockets)
  const held = createHeldPackets(sockets, timers, options.mtu)

  /**
   * A packet that must be held is copied, and the kernel drops the original. An original that stayed in the queue would
   * count as unsent, and TCP would send very little over a slow connection.
   */
  const handle = ({ id, payload, isUnfinished }: QueuedPacket): void => {
    const faults = isIpv4(payload)
      ? [...active.values()].filter(
          ({ peers }) => peers?.some((peer) => peer.contains(destinationOf(payload))) ?? true,
        )
      : []
    const copies = applyFaults(faults)
    const [first] = copies
    const isUnchanged = copies.length === 1 && first!.delayMs === 0 && !first!.corrupt
    // A packet queued before the last change of settings may be truncated or unfinished.
    const canCopy = !isUnfinished && isIpv4(payload) && isComplete(payload)
    const passes = isUnchanged || (first !== undefined && !canCopy)
    verdicts.add(id, passes ? ACCEPT : DROP)
    if (passes) return
    for (const { delayMs, corrupt } of copies) {
      const packet = Buffer.from(payload)
      if (corrupt) flipBit(packet, random.next())
      held.sendAfter(delayMs, packet, faults)
    }
  }

  const configure = (): void => {
    const needsWhole = [...active.values()].some(({ effects }) => needsWholePackets(effects))
    sockets.sendMessages(
      toConfiguration(QUEUE_NUMBER, {
        bind: false,
        copyRange: needsWhole ? MAX_PACKET_BYTES : HEADER_BYTES,
        maxLength: MAX_QUEUED_PACKETS,
        unsegmented: !needsWhole,
      }),
    )
  }

  return {
    fd: sockets.queueFd,
    setFaults(faults) {
      const ids = new Set(faults.map(({ id }) => id))
      for (const [id, fault] of active)
        if (!ids.has(id)) {
          active.delete(id)
          held.release(fault)
        }
      for (const { id, peers, effects } of faults) {
        if (active.has(id)) continue
        const state = createEffectsState(effects, random)
        active.set(id, { peers: peers?.map(parsePeer), effects, apply: () => nextCopies(state, random) })
      }
      configure()
    },
    receive() {
      for (let count = 0; count < BATCH_PACKETS; count += 1) {
        const bytes = sockets.receive(buffer, false)
        if (bytes === undefined) break
        const message = parseMessage(bytes)
        if (message?.type === 'packet') handle(message.packet)
      }
      verdicts.flush()
    },
    close() {
      held.release()
      sockets.close()
    },
  }
}
