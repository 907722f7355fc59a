/** The services of the system, as workloads and telemetry name them. */
import { nearestName } from '../kit/index.ts'
import type { ApiObject } from '../spec/index.ts'
import { type ActionContext, ActionRefusal } from './define-action.ts'

const WORKLOADS = ['deployments', 'statefulsets', 'daemonsets']

const appOf = ({ metadata, spec }: ApiObject): string => {
  const { template } = (spec ?? {}) as { template?: { metadata?: { labels?: Record<string, string> } } }
  return template?.metadata?.labels?.app ?? metadata.name
}

/** Sorted. */
export const servicesOf = async ({ api, telemetry, briefing }: ActionContext): Promise<readonly string[]> => {
  const { namespace } = briefing
  const [heard, ...made] = await Promise.all([
    telemetry.services(),
    ...WORKLOADS.map((plural) => api.list({ apiVersion: 'apps/v1', plural, namespace })),
  ])
  return [...new Set([...heard, ...made.flatMap(({ items }) => items.map(appOf))])].sort()
}

/** Refuses a name that no service has. */
export const checkService = async (
  context: ActionContext,
  service: string | undefined,
): Promise<string | undefined> => {
  if (service === undefined) return undefined
  const all = await servicesOf(context)
  if (all.includes(service)) return service
  const near = nearestName(service, all)
  throw new ActionRefusal(
    `There is no service "${service}"${near === undefined ? '' : `; did you mean "${near}"`}. The services are: ${all.join(', ')}.`,
  )
}
