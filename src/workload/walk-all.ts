/** Walks every journey once, in this process, by one user: what tests and preparation do. */
import { createWalker, type WalkerOptions } from './create-walker.ts'
import type { RecordBatch } from './generator-messages.ts'

export interface WalkAllOptions extends WalkerOptions {
  /** Only these; all where absent. */
  readonly journeys?: readonly string[]
}

/** In the order in which they are written; one that another needed is not walked a second time. */
export const walkAll = async ({ journeys, ...options }: WalkAllOptions): Promise<RecordBatch> => {
  const walker = createWalker(options)
  try {
    for (const { name } of options.workload.journeys)
      if (journeys?.includes(name) !== false && !walker.hasPrepared(name)) await walker.walk(name)
  } finally {
    walker.close()
  }
  return walker.records
}
