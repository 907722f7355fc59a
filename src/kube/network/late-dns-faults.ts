/** DNS faults that may be asked for before the DNS server is there. */
import type { DnsFaults } from '../ports/index.ts'

export interface LateDnsFaults extends DnsFaults {
  /** From now on the server does it, what was asked for before included. */
  serve(server: DnsFaults): void
}

export const createLateDnsFaults = (): LateDnsFaults => {
  let server: DnsFaults | undefined
  const waiting = new Set<(server: DnsFaults) => void>()
  return {
    interfere(podIp, rule) {
      if (server !== undefined) return server.interfere(podIp, rule)
      let undo = (): void => {}
      const begin = (served: DnsFaults): void => {
        undo = served.interfere(podIp, rule)
      }
      waiting.add(begin)
      return () => {
        waiting.delete(begin)
        undo()
      }
    },
    serve(given) {
      server = given
      for (const begin of waiting) begin(given)
      waiting.clear()
    },
  }
}
