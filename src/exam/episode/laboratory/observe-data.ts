/** Records the content of the stores of the system. */
import { type ContentRequest, DATA_PROTOCOLS, protocolOf, readContent } from '#exam/fault-parts'
import { defined } from '#kit'
import { type EpisodeEvent, type StoredContent, taskOf } from '#spec'
import type { EventLog } from '../record/event-log.ts'
import type { Equipment } from './equipment.ts'

/** The observation of stores that take longer to answer has failed. */
const TIMEOUT_MS = 3000
/** On the healthy system, only a busy machine delays answers. A store without a baseline could not be compared later. */
const BASELINE_TIMEOUT_MS = 10_000

/** The content of each store; undefined if the store did not answer, as one that is down or restarting. */
const readStores = async (
  { cluster: { api, connectTo }, view, time }: Equipment,
  stores: readonly string[],
  timeoutMs: number,
  toRequest: (store: string) => ContentRequest,
): Promise<readonly (StoredContent | undefined)[]> => {
  const controller = new AbortController()
  const { signal } = controller
  const timeout = time.sleep(timeoutMs, signal).then(
    () => controller.abort(new Error('the observation of data timed out')),
    () => {},
  )
  const contents = await Promise.all(
    stores.map((store) =>
      readContent({ api, system: view, signal, ...defined({ connectTo }) }, store, toRequest(store)).catch(
        () => undefined,
      ),
    ),
  )
  controller.abort(new Error('the data was observed'))
  await timeout
  return contents
}

/** The id without the runtime that the status of a pod names: `containerd://4f2a`. */
const toPlainId = (containerId: string): string => containerId.slice(containerId.lastIndexOf('/') + 1)

/** Whether the container still runs, as the host sees it, in a pod that is not being deleted. */
const isRunning = ({ cluster, objects, view }: Equipment, container: string): boolean =>
  objects
    .list()
    .filter(({ kind, metadata }) => kind === 'Pod' && metadata.namespace === view.namespace)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .some(({ metadata }) =>
      (cluster.containersIn?.(String(metadata.uid)) ?? []).some(({ id }) => id === toPlainId(container)),
    )

const observeStores = async (
  equipment: Equipment,
  log: EventLog,
  names: readonly string[],
): Promise<Pick<EpisodeEvent & { type: 'data-observed' }, 'stores' | 'unanswered'>> => {
  const { data, solverEnded } = log.view
  const knownOf = (store: string): StoredContent | undefined =>
    data.flatMap(({ stores }) => stores).findLast((content) => content.store === store)
  const timeoutMs = data.length === 0 ? BASELINE_TIMEOUT_MS : TIMEOUT_MS
  const contents = await readStores(equipment, names, timeoutMs, (store) => ({
    ...defined({ known: knownOf(store)?.tables }),
    // Before, a fault may delay the writes that a store awaits before it reads its files.
    checksFiles: solverEnded !== undefined,
  }))
  const unanswered = names.filter((store, index) => {
    const container = contents[index] === undefined ? knownOf(store)?.container : undefined
    return solverEnded !== undefined && container !== undefined && isRunning(equipment, container)
  })
  return {
    stores: contents.filter((content) => content !== undefined),
    ...(unanswered.length === 0 ? {} : { unanswered }),
  }
}

/** Records a sample of all stores the first time, and later which entries of the last observation still exist. */
export const observeData = async (equipment: Equipment, log: EventLog): Promise<void> => {
  const { cluster, view } = equipment
  const { problem, data } = log.view
  // Other tasks give no access to pods.
  if (cluster.connectTo === undefined || problem === undefined || !taskOf(problem.task).repairs) return
  const all = view.workloads
    .map(({ service }) => service)
    .filter((service) => DATA_PROTOCOLS.includes(protocolOf(view, service) ?? ''))
  const last = data.at(-1)?.stores
  const names = all.filter((store) => last === undefined || last.some((content) => content.store === store))
  if (all.length > 0) log.add({ type: 'data-observed', ...(await observeStores(equipment, log, names)) })
}

/** Repeats the last observation for the stores that did not answer; adds an event once some of them answer or no longer run. */
export const observeUnanswered = async (equipment: Equipment, log: EventLog): Promise<void> => {
  const { unanswered = [] } = log.view.data.at(-1) ?? {}
  if (unanswered.length === 0) return
  const observed = await observeStores(equipment, log, unanswered)
  if (observed.unanswered?.length !== unanswered.length) log.add({ type: 'data-observed', ...observed })
}
