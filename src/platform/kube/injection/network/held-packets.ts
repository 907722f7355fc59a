/** Packets that are held back until their delay has passed or their fault is removed. */
import { monotonicMs, type TimerHeap } from '#kit'
import type { PacketSockets } from '#machine/linux'
import { toFragments } from './ip-packet.ts'

/** The limit for one pod; further packets are lost, as in any full queue. */
const MAX_HELD_PACKETS = 32_768

interface HeldPacket {
  readonly faults: readonly unknown[]
  readonly release: () => void
}

export interface HeldPackets {
  sendAfter(delayMs: number, packet: Buffer, faults: readonly unknown[]): void
  /** Immediately sends the packets that the fault delays, or all packets if `fault` is omitted. */
  release(fault?: unknown): void
}

export const createHeldPackets = (sockets: PacketSockets, timers: TimerHeap, mtu: number): HeldPackets => {
  const held = new Set<HeldPacket>()

  const sendNow = (packet: Buffer): void => {
    for (const fragment of toFragments(packet, mtu)) sockets.send(fragment)
  }

  return {
    sendAfter(delayMs, packet, faults) {
      if (delayMs <= 0) {
        sendNow(packet)
        return
      }
      if (held.size >= MAX_HELD_PACKETS) return
      const send = (): void => {
        held.delete(entry)
        sendNow(packet)
      }
      const cancel = timers.add(monotonicMs() + delayMs, send)
      const entry: HeldPacket = {
        faults,
        release() {
          cancel()
          send()
        },
      }
      held.add(entry)
    },
    release(fault) {
      for (const entry of [...held]) if (fault === undefined || entry.faults.includes(fault)) entry.release()
    },
  }
}
