/** Holds a connection back while any of its lanes has too much unread. */

export interface Gate {
  set(lane: number, full: boolean): void
}

export const createGate = (connection: { pause(): unknown; resume(): unknown }): Gate => {
  const full = new Set<number>()
  return {
    set(lane, isFull) {
      const before = full.size
      if (isFull) full.add(lane)
      else full.delete(lane)
      if (before === 0 && full.size > 0) connection.pause()
      if (before > 0 && full.size === 0) connection.resume()
    },
  }
}
