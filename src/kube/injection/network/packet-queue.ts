/** The packets of one pod: takes them from the kernel, exposes them to every fault, and sends on what is left. */
import type { Random, TimerHeap } from '../../../kit/index.ts'
import { monotonicMs } from '../../../kit/index.ts'
import { createPacketSockets, type PacketSockets } from '../../../linux/index.ts'
import type { PacketEffects } from '../../ports/index.ts'
import { destinationOf, flipBit, isComplete, isIpv4, toFragments } from './ip-packet.ts'
import {
  ACCEPT,
  DROP,
  parseMessage,
  type QueuedPacket,
  toConfiguration,
  VERDICT_LENGTH,
  writeVerdict,
} from './netfilter-messages.ts'
import { createPacketEffects, needsWholePackets, type PacketCopy } from './packet-effects.ts'
import { type PeerRange, parsePeer } from './peer-set.ts'

/** The number of the one queue that each pod's namespace has. */
export const QUEUE_NUMBER = 0x526d
/** The mark of packets that have been through the program: the rule that queues others lets these pass. */
export const PASSED_MARK = 0x52_6d_64
const MAX_WAITING = 32_768
/** Packets held back for one pod at most; more are lost, as in any full queue. */
const MAX_HELD = 32_768
/** Enough for the addresses when nobody needs the rest. */
const HEADERS_ONLY = 96
const WHOLE_PACKET = 0xffff
/** So many are taken at a time, before others get their turn. */
const BATCH = 128

/** A fault as the program that handles packets knows it. */
export interface PacketFault {
  readonly id: string
  readonly peers?: readonly string[]
  readonly effects: PacketEffects
}

interface ActiveFault {
  readonly peers: readonly PeerRange[] | undefined
  readonly effects: PacketEffects
  meet(): readonly PacketCopy[]
}

interface Held {
  readonly faults: readonly ActiveFault[]
  readonly release: () => void
}

export interface PacketQueue {
  /** Readable when packets wait. */
  readonly fd: number
  /** From now on just these act; what others have held back goes at once. */
  setFaults(faults: readonly PacketFault[]): void
  /** Takes what waits, or a part of it. */
  receive(): void
  close(): void
}

const bindQueue = (sockets: PacketSockets): void => {
  const settings = { bind: true, copyRange: HEADERS_ONLY, maxLength: MAX_WAITING, whole: true }
  sockets.tell(toConfiguration(QUEUE_NUMBER, settings))
  const answer = parseMessage(sockets.receive(Buffer.alloc(1024), true) ?? Buffer.alloc(0))
  if (answer?.type !== 'answer' || answer.errno !== 0)
    throw new Error(
      `the kernel does not give the packets of the pod to a program (errno ${answer?.type === 'answer' ? answer.errno : 'unknown'})`,
    )
}

/** Every copy that is left after each fault, one after the other. */
const throughAll = (faults: readonly ActiveFault[]): readonly PacketCopy[] =>
  faults.reduce<readonly PacketCopy[]>(
    (copies, fault) =>
      copies.flatMap((copy) =>
        fault.meet().map(({ delayMs, corrupt }) => ({
          delayMs: copy.delayMs + delayMs,
          corrupt: copy.corrupt || corrupt,
        })),
      ),
    [{ delayMs: 0, corrupt: false }],
  )

export const createPacketQueue = (options: {
  namespacePath: string
  mtu: number
  timers: TimerHeap
  random: Random
  /** Shared by all queues of the thread: what is read stays in it only until the next is read. */
  buffer: Buffer
}): PacketQueue => {
  const { timers, random, buffer } = options
  const sockets = createPacketSockets(options.namespacePath, PASSED_MARK)
  try {
    bindQueue(sockets)
  } catch (error) {
    sockets.close()
    throw error
  }
  const active = new Map<string, ActiveFault>()
  const held = new Set<Held>()
  const verdicts = Buffer.alloc(BATCH * VERDICT_LENGTH)
  let verdictCount = 0

  const decide = (id: number, verdict: number): void => {
    const at = verdictCount * VERDICT_LENGTH
    writeVerdict(verdicts.subarray(at, at + VERDICT_LENGTH), QUEUE_NUMBER, id, verdict)
    verdictCount += 1
  }
  const tellVerdicts = (): void => {
    if (verdictCount > 0) sockets.tell(verdicts.subarray(0, verdictCount * VERDICT_LENGTH))
    verdictCount = 0
  }

  const sendNow = (packet: Buffer): void => {
    for (const fragment of toFragments(packet, options.mtu)) sockets.send(fragment)
  }
  const sendLater = (packet: Buffer, delayMs: number, faults: readonly ActiveFault[]): void => {
    if (delayMs <= 0) {
      sendNow(packet)
      return
    }
    if (held.size >= MAX_HELD) return
    const send = (): void => {
      held.delete(entry)
      sendNow(packet)
    }
    const cancel = timers.add(monotonicMs() + delayMs, send)
    const entry: Held = {
      faults,
      release() {
        cancel()
        send()
      },
    }
    held.add(entry)
  }

  /**
   * Whoever must hold a packet takes a copy and lets the kernel forget the original: while that lay in the queue
   * it would count as unsent, and TCP would send next to nothing over a slow way.
   */
  const meet = ({ id, payload, unfinished }: QueuedPacket): void => {
    const faults = isIpv4(payload)
      ? [...active.values()].filter(
          ({ peers }) => peers?.some((peer) => peer.holds(destinationOf(payload))) ?? true,
        )
      : []
    const copies = throughAll(faults)
    const [first] = copies
    const untouched = copies.length === 1 && first!.delayMs === 0 && !first!.corrupt
    // What was queued before the last change of settings may be cut off or unfinished.
    const canCopy = !unfinished && isIpv4(payload) && isComplete(payload)
    const passes = untouched || (first !== undefined && !canCopy)
    decide(id, passes ? ACCEPT : DROP)
    if (passes) return
    for (const { delayMs, corrupt } of copies) {
      const packet = Buffer.from(payload)
      if (corrupt) flipBit(packet, random.next())
      sendLater(packet, delayMs, faults)
    }
  }

  const configure = (): void => {
    const whole = [...active.values()].some(({ effects }) => needsWholePackets(effects))
    sockets.tell(
      toConfiguration(QUEUE_NUMBER, {
        bind: false,
        copyRange: whole ? WHOLE_PACKET : HEADERS_ONLY,
        maxLength: MAX_WAITING,
        whole: !whole,
      }),
    )
  }

  const releaseAll = (ofFault: (fault: ActiveFault) => boolean): void => {
    for (const entry of [...held]) if (entry.faults.some(ofFault)) entry.release()
  }

  return {
    fd: sockets.queueFd,
    setFaults(faults) {
      const ids = new Set(faults.map(({ id }) => id))
      for (const [id, fault] of active)
        if (!ids.has(id)) {
          active.delete(id)
          releaseAll((other) => other === fault)
        }
      for (const { id, peers, effects } of faults)
        if (!active.has(id))
          active.set(id, {
            peers: peers?.map(parsePeer),
            effects,
            meet: createPacketEffects(effects, random),
          })
      configure()
    },
    receive() {
      for (let count = 0; count < BATCH; count += 1) {
        const bytes = sockets.receive(buffer, false)
        if (bytes === undefined) break
        const message = parseMessage(bytes)
        if (message?.type === 'packet') meet(message.packet)
      }
      tellVerdicts()
    },
    close() {
      releaseAll(() => true)
      sockets.close()
    },
  }
}
