/** Measures how long a change takes to reach many watchers. */
import { median } from '../measure/print-goals.ts'
import { type ApiClient, createApiClient, type ServerAccess } from './api-client.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' }
const ROUNDS = 21
const PAUSE_MS = 20

/**
 * Patches an object several times, and measures how long the slowest of `count` watchers takes to receive the event.
 * Resolves to the median in milliseconds.
 */
export const measureWatchDelay = async (
  cluster: ServerAccess,
  client: ApiClient,
  count: number,
): Promise<number> => {
  const watchers = createApiClient(cluster, count)
  await client.send('POST', CONFIG_MAPS, { metadata: { name: 'tick' } })
  let onEvent: (() => void) | undefined
  const stopWatches = await Promise.all(
    Array.from({ length: count }, () =>
      watchers.watch(`${CONFIG_MAPS}?watch=true&fieldSelector=metadata.name%3Dtick`, (line) => {
        if (line.includes('"MODIFIED"')) onEvent?.()
      }),
    ),
  )
  const delays: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    let missing = count
    const started = performance.now()
    const received = new Promise<number>((resolve) => {
      onEvent = () => {
        missing -= 1
        if (missing === 0) resolve(performance.now() - started)
      }
    })
    await client.send('PATCH', `${CONFIG_MAPS}/tick`, { data: { round: String(round) } }, MERGE_PATCH)
    delays.push(await received)
  }
  for (const stopWatch of stopWatches) stopWatch()
  await watchers.close()
  return median(delays)
}
