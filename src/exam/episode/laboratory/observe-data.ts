/** Records what the stores of the system hold, by content. */
import { DATA_PROTOCOLS, protocolOf, readContent } from '#exam/fault-parts'
import { type StoredContent, taskOf } from '#spec'
import type { EventLog } from '../record/event-log.ts'
import type { Equipment } from './equipment.ts'

/** A store that takes longer is left out. */
const TIMEOUT_MS = 3000

/** The first time a sample of all stores; later the entries of the last observation that are still there. */
export const observeData = async ({ cluster, view, time }: Equipment, log: EventLog): Promise<void> => {
  const { api, connectTo } = cluster
  const { problem, data } = log.view
  // Other tasks give no access to pods.
  if (connectTo === undefined || problem === undefined || !taskOf(problem.task).repairs) return
  const last = data.at(-1)?.stores
  const all = view.workloads
    .map(({ service }) => service)
    .filter((service) => DATA_PROTOCOLS.includes(protocolOf(view, service) ?? ''))
  const controller = new AbortController()
  const { signal } = controller
  const observe = async (store: string): Promise<StoredContent[]> => {
    const known = last?.find((content) => content.store === store)
    if (last !== undefined && known === undefined) return []
    const reading = readContent({ api, system: view, signal, connectTo }, store, known?.tables)
    // A store that is down, or restarts, cannot be observed.
    return reading.then(
      (content) => [content],
      () => [],
    )
  }
  const late = time.sleep(TIMEOUT_MS, signal).then(
    () => controller.abort(new Error('the time to observe data is over')),
    () => {},
  )
  const stores = (await Promise.all(all.map(observe))).flat()
  controller.abort(new Error('the data was observed'))
  await late
  if (all.length > 0) log.add({ type: 'data-observed', stores })
}
