/** Shows what is asked of a registry as spans, each a trace of its own: no request is the reason for it. */
import type { Tracer } from '../ports/index.ts'

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
