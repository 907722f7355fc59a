/** Lists the services of the system by the names that workloads and telemetry use. */
import { type ApiObject, viewAs } from '#spec'
import { type ActionContext, ActionRefusal } from './define-action.ts'
import { suggestName } from './suggest-name.ts'

const WORKLOADS = ['deployments', 'statefulsets', 'daemonsets']

const serviceOf = (workload: ApiObject): string =>
  viewAs('Deployment', workload).spec?.template?.metadata?.labels?.app ?? workload.metadata.name

/** Returns the names in alphabetical order. */
export const listServices = async ({
  api,
  telemetry,
  briefing,
}: ActionContext): Promise<readonly string[]> => {
  const { namespace } = briefing
  const [observed, ...workloads] = await Promise.all([
    telemetry.services(),
    ...WORKLOADS.map((plural) => api.list({ apiVersion: 'apps/v1', plural, namespace })),
  ])
  return [...new Set([...observed, ...workloads.flatMap(({ items }) => items.map(serviceOf))])].sort()
}

/** Returns a filter for the service, or undefined if none is given. Throws `ActionRefusal` if it does not exist. */
export const checkService = async (
  context: ActionContext,
  service: string | undefined,
): Promise<readonly string[] | undefined> => {
  if (service === undefined) return undefined
  const services = await listServices(context)
  if (services.includes(service)) return [service]
  throw new ActionRefusal(
    `The service "${service}" does not exist.${suggestName(service, services)} Existing services: ${services.join(', ')}.`,
  )
}
