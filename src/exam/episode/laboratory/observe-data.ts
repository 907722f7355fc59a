/** Records the content of the stores of the system. */
import { DATA_PROTOCOLS, protocolOf, readContent } from '#exam/fault-parts'
import { type StoredContent, taskOf } from '#spec'
import type { EventLog } from '../record/event-log.ts'
import type { Equipment } from './equipment.ts'

/** Stores that take longer to answer are left out. */
const TIMEOUT_MS = 3000

/** Records a sample of all stores the first time, and later those entries of the last observation that still exist. */
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
    // A store that is down or restarting cannot be observed.
    return reading.then(
      (content) => [content],
      () => [],
    )
  }
  const timeout = time.sleep(TIMEOUT_MS, signal).then(
    () => controller.abort(new Error('the observation of data timed out')),
    () => {},
  )
  const stores = (await Promise.all(all.map(observe))).flat()
  controller.abort(new Error('the data was observed'))
  await timeout
  if (all.length > 0) log.add({ type: 'data-observed', stores })
}
