/** Pauses a connection while any of its channels has too much unread input. */

export interface Gate {
  set(channel: number, full: boolean): void
}

export const createGate = (connection: { pause(): unknown; resume(): unknown }): Gate => {
  const fullChannels = new Set<number>()
  return {
    set(channel, isFull) {
      const before = fullChannels.size
      if (isFull) fullChannels.add(channel)
      else fullChannels.delete(channel)
      if (before === 0 && fullChannels.size > 0) connection.pause()
      if (before > 0 && fullChannels.size === 0) connection.resume()
    },
  }
}
