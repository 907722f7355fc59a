/** Pauses a connection while any of its channels has too much unread input. */

export interface Gate {
  set(channel: number, full: boolean): void
}

export const createGate = (connection: { pause(): unknown; resume(): unknown }): Gate => {
  const full = new Set<number>()
  return {
    set(channel, isFull) {
      const before = full.size
      if (isFull) full.add(channel)
      else full.delete(channel)
      if (before === 0 && full.size > 0) connection.pause()
      if (before > 0 && full.size === 0) connection.resume()
    },
  }
}
