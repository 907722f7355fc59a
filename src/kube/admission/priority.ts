/** Turns the priority class of a pod into its priority, and keeps the default class unique. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { PriorityClass } from 'kubernetes-types/scheduling/v1.d.ts'
import { pods, priorityClasses } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { AdmissionPlugin, AdmissionRequest, Client } from '../ports/index.ts'
import { refuse, refuseDraft } from './refuse.ts'

/** Of several defaults, the lowest. */
const defaultClass = (client: Client): Stored<PriorityClass> | undefined => {
  let lowest: Stored<PriorityClass> | undefined
  for (const one of client.list(priorityClasses))
    if (one.globalDefault === true && (lowest === undefined || one.value < lowest.value)) lowest = one
  return lowest
}

const classOf = (request: AdmissionRequest, name: string | undefined): Stored<PriorityClass> | undefined => {
  if (name === undefined || name === '') return defaultClass(request.client)
  const found = request.client.get(priorityClasses, '', name)
  if (found === undefined) throw refuseDraft(request, `no PriorityClass with name ${name} was found`)
  return found
}

const prioritize = (request: AdmissionRequest): void => {
  const { spec } = request.object as Stored<Pod>
  const found = classOf(request, spec.priorityClassName)
  const priority = found?.value ?? 0
  const preemptionPolicy = found?.preemptionPolicy ?? 'PreemptLowerPriority'
  if (spec.priority !== undefined && spec.priority !== priority) {
    throw refuseDraft(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    )
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw refuseDraft(
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
    if (request.kind.id === pods.id && request.operation === 'CREATE') prioritize(request)
  },
  validate(request) {
    if (request.kind.id !== priorityClasses.id || request.operation === 'DELETE') return
    if ((request.object as Stored<PriorityClass>).globalDefault !== true) return
    const other = defaultClass(request.client)
    if (other !== undefined && other.metadata.name !== request.name) {
      throw refuse(
        request,
        `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
      )
    }
  },
}
