/** Calls an endpoint that no entry point leads to, from a program in the pod of the service. */
import type { LiveSystem } from './live-system.ts'

interface InsideRequest {
  /** The label `app` of the pod that calls itself. */
  readonly service: string
  readonly url: string
  readonly body: object
}

/** As in the original, the food delivery of train-ticket has no Service and no route. */
const REQUESTS: Readonly<Record<string, InsideRequest>> = {
  'train-ticket': {
    service: 'ts-food-delivery-service',
    url: 'http://127.0.0.1:18957/api/v1/fooddeliveryservice/orders',
    body: { stationFoodStoreId: 'none', foodList: [], tripId: 'G1234', seatNo: 1, deliveryTime: '' },
  },
}

export const callInside = async ({ system, cluster }: LiveSystem): Promise<void> => {
  const request = REQUESTS[system.name]
  if (request === undefined) return
  const { namespace } = system
  const pods = { apiVersion: 'v1', plural: 'pods', namespace }
  const { items } = await cluster.api.list(pods, { labelSelector: `app=${request.service}` })
  const { name } = items[0]!.metadata
  const body = JSON.stringify(request.body)
  const headers = { 'content-type': 'application/json' }
  const program = `fetch(${JSON.stringify(request.url)}, ${JSON.stringify({ method: 'POST', headers, body })}).then(async (response) => {
    console.log(response.status, await response.text())
    process.exit(response.ok ? 0 : 1)
  })`
  const outcome = await cluster.api.exec({ namespace, name }, ['/opt/remedium/bin/node', '-e', program])
  if (outcome.exitCode !== 0) throw new Error(`${request.url}: ${outcome.stdout}${outcome.stderr}`)
}
