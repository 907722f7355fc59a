/** Records every write of a solver's account, from any client. */
import type { ApiWrite, ClusterAccess } from '#spec'
import type { EventLog } from '../record/event-log.ts'

/** Later writes are counted together, so that a solver cannot fill the disk. */
const MAX_SINGLE_WRITES = 2000
/** The kinds of later writes that are counted separately; all others are counted without details. */
const MAX_KINDS = 200

const keyOf = ({ verb, object, code, client }: ApiWrite): string =>
  JSON.stringify([verb, object, code, client])

const withoutDetails = ({ verb, code }: ApiWrite): ApiWrite => ({ verb, code, object: '*', client: '*' })

/** Records until `end`, which also records the counts. Solvers of the laboratory have no account. */
export const recordWrites = (
  { followWrites }: Pick<ClusterAccess, 'followWrites'>,
  log: Pick<EventLog, 'add'>,
): { end(): void } => {
  let writes = 0
  const counted = new Map<string, { readonly write: ApiWrite; count: number }>()
  const countWrite = (write: ApiWrite): void => {
    const isSeparate = counted.has(keyOf(write)) || counted.size < MAX_KINDS
    const kind = isSeparate ? write : withoutDetails(write)
    const entry = counted.get(keyOf(kind)) ?? { write: kind, count: 0 }
    entry.count += 1
    counted.set(keyOf(kind), entry)
  }
  const stop = followWrites?.((write) => {
    writes += 1
    if (writes > MAX_SINGLE_WRITES) countWrite(write)
    else
      try {
        log.add({ type: 'write-audited', ...write })
      } catch {
        // The next event of the episode reports the failure: a log that has failed rejects all later events.
      }
  })
  return {
    end() {
      stop?.()
      for (const { write, count } of counted.values()) log.add({ type: 'write-audited', ...write, count })
    },
  }
}
