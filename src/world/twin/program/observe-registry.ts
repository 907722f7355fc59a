/** Records calls to a registry as spans, each in a separate trace, because no request causes them. */
import type { Tracer } from '#world/twin/ports'

export const observeRegistry =
  (peer: string, tracer: Tracer) =>
  async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    const span = tracer.start({ name: operation, kind: 'client', peer })
    try {
      const result = await work()
      span.end()
      return result
    } catch (error) {
      span.end((error as Error).message)
      throw error
    }
  }
