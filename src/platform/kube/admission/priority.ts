/** Sets the priority of a pod from its class, and rejects a second default class. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { PriorityClass } from 'kubernetes-types/scheduling/v1.d.ts'
import { pods, priorityClasses } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { AdmissionPlugin, AdmissionRequest, Client } from '#platform/kube/ports'
import { forbiddenDraftError, forbiddenError } from './forbidden-error.ts'

/** The default class with the lowest priority, if there are several. */
const defaultClass = (client: Client): Stored<PriorityClass> | undefined => {
  let lowest: Stored<PriorityClass> | undefined
  for (const candidate of client.list(priorityClasses))
    if (candidate.globalDefault === true && (lowest === undefined || candidate.value < lowest.value))
      lowest = candidate
  return lowest
}

const classOf = (request: AdmissionRequest, name: string | undefined): Stored<PriorityClass> | undefined => {
  if (name === undefined || name === '') return defaultClass(request.client)
  const found = request.client.get(priorityClasses, '', name)
  if (found === undefined) throw forbiddenDraftError(request, `no PriorityClass with name ${name} was found`)
  return found
}

const setPriority = (request: AdmissionRequest): void => {
  const { spec } = request.object as Stored<Pod>
  const found = classOf(request, spec.priorityClassName)
  const priority = found?.value ?? 0
  const preemptionPolicy = found?.preemptionPolicy ?? 'PreemptLowerPriority'
  if (spec.priority !== undefined && spec.priority !== priority) {
    throw forbiddenDraftError(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    )
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw forbiddenDraftError(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    )
  }
  if (found !== undefined) spec.priorityClassName = found.metadata.name
  spec.priority = priority
  spec.preemptionPolicy = preemptionPolicy
}

export const priority: AdmissionPlugin = {
  name: 'Priority',
  admit(request) {
    if (request.kind.id === pods.id && request.operation === 'CREATE') setPriority(request)
  },
  validate(request) {
    if (request.kind.id !== priorityClasses.id || request.operation === 'DELETE') return
    if ((request.object as Stored<PriorityClass>).globalDefault !== true) return
    const existing = defaultClass(request.client)
    if (existing !== undefined && existing.metadata.name !== request.name) {
      throw forbiddenError(
        request,
        `PriorityClass ${existing.metadata.name} is already marked as default. Only one default can exist`,
      )
    }
  },
}
