/** kubectl set resources. */
import { defined } from '#kit'
import type { Found } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { podSpecOf, selectContainers, updateContainers } from './update-containers.ts'

const parseQuantities = (text: string | undefined): Record<string, string> | undefined => {
  if (text === undefined || text === '') return undefined
  return Object.fromEntries(
    text.split(',').map((part) => {
      const pair = part.split('=')
      if (pair.length !== 2)
        throw new KubectlError(`error: Invalid argument syntax ${part}, expected <resource>=<value>`)
      return pair
    }),
  )
}

export const setResources = async (call: KubectlCall, found: Found): Promise<void> => {
  const limits = parseQuantities(call.flags.text('limits'))
  const requests = parseQuantities(call.flags.text('requests'))
  if (limits === undefined && requests === undefined)
    throw new KubectlError(
      'error: you must specify an update to requests or limits (in the form of --requests/--limits)',
    )
  const containers = selectContainers(call, podSpecOf(found).containers)
  if (containers.length === 0)
    throw new KubectlError(`error: unable to find container named ${call.flags.text('containers')}`)
  const changed = containers.flatMap(({ name, resources = {} }) => {
    const differs = (
      wanted: Record<string, string> | undefined,
      current: Record<string, string> = {},
    ): boolean =>
      wanted !== undefined && Object.entries(wanted).some(([key, value]) => current[key] !== value)
    if (!differs(limits, resources.limits) && !differs(requests, resources.requests)) return []
    return [
      {
        name,
        resources: {
          ...defined({ limits }),
          ...defined({ requests }),
        },
      },
    ]
  })
  await updateContainers(call, found, { containers: changed }, 'resource requirements updated')
}
