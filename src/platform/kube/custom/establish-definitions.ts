/** The controller of CustomResourceDefinitions: accepts names, establishes definitions and deletes their instances. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import type { Clock } from '#kit'
import { customResourceDefinitions, DEFINITION_FINALIZER } from '#platform/kube/kinds'
import { isNotFound, type Stored, setCondition } from '#platform/kube/meta'
import type { Client, WatchEvent } from '#platform/kube/ports'
import { acceptNames } from './accept-names.ts'
import { toKind } from './to-kind.ts'

type Definition = Stored<CustomResourceDefinition>
type Condition = Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>

interface Context {
  client: Client
  clock: Clock
  requeue(key: string, milliseconds: number): void
}

/** Interval between checks for remaining instances of a terminating definition. */
const CLEANUP_POLL_MS = 1000

const isTrue = ({ status }: Definition, type: string): boolean =>
  status.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true

const establishedCondition = (definition: Definition, accepted: boolean): Condition => {
  if (accepted || isTrue(definition, 'Established')) {
    return {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    }
  }
  return {
    type: 'Established',
    status: 'False',
    reason: 'NotAccepted',
    message: 'not all names are accepted',
  }
}

const establish = (definition: Definition, { client, clock }: Context): void => {
  const others = client
    .list(customResourceDefinitions)
    .filter(
      ({ metadata, spec }) =>
        metadata.name !== definition.metadata.name && spec.group === definition.spec.group,
    )
  const { names, conflict } = acceptNames(definition, others)
  const namesAccepted: Condition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict }
  const conditions = setCondition(
    setCondition(definition.status.conditions ?? [], namesAccepted, clock.now()),
    establishedCondition(definition, conflict === undefined),
    clock.now(),
  )
  client.updateStatus(customResourceDefinitions, {
    ...definition,
    status: { ...definition.status, acceptedNames: names, conditions },
  })
}

const setTerminating = (
  definition: Definition,
  condition: Omit<Condition, 'type'>,
  context: Context,
): Definition =>
  context.client.updateStatus(customResourceDefinitions, {
    ...definition,
    status: {
      ...definition.status,
      conditions: setCondition(
        definition.status.conditions ?? [],
        { type: 'Terminating', ...condition },
        context.clock.now(),
      ),
    },
  })

/** Deletes every instance of the kind; returns the number of remaining instances. */
const deleteInstances = (definition: Definition, client: Client): number => {
  const kind = toKind({
    ...definition,
    spec: {
      ...definition.spec,
      versions: definition.spec.versions.map((version) => ({ ...version, served: true })),
    },
  })
  if (kind === undefined) return 0
  for (const { metadata } of client.list(kind)) {
    if (metadata.deletionTimestamp !== undefined) continue
    try {
      client.delete(kind, metadata.namespace ?? '', metadata.name)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return client.list(kind).length
}

const cleanUp = (definition: Definition, context: Context): void => {
  if (!(definition.metadata.finalizers ?? []).includes(DEFINITION_FINALIZER)) return
  const terminating = setTerminating(
    definition,
    {
      status: 'True',
      reason: 'InstanceDeletionInProgress',
      message: 'CustomResource deletion is in progress',
    },
    context,
  )
  if (deleteInstances(terminating, context.client) > 0) {
    context.requeue(definition.metadata.name, CLEANUP_POLL_MS)
    return
  }
  const cleared = setTerminating(
    terminating,
    { status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' },
    context,
  )
  const finalizers = (cleared.metadata.finalizers ?? []).filter(
    (finalizer) => finalizer !== DEFINITION_FINALIZER,
  )
  context.client.update(customResourceDefinitions, {
    ...cleared,
    metadata: { ...cleared.metadata, finalizers },
  })
}

/** Includes the definitions of the group with rejected names, because the change may free a name. */
const keysOf = ({ object }: WatchEvent<CustomResourceDefinition>, { client }: Context): string[] => [
  object.metadata.name,
  ...client
    .list(customResourceDefinitions)
    .filter((candidate) => candidate.spec.group === object.spec.group && !isTrue(candidate, 'NamesAccepted'))
    .map(({ metadata }) => metadata.name),
]

export const establishDefinitions = {
  name: 'establish-definitions',
  user: 'system:apiserver',
  manager: 'kube-apiserver',
  watches: [{ kind: customResourceDefinitions, keys: keysOf }],
  reconcile(key: string, context: Context): void {
    const definition = context.client.get(customResourceDefinitions, '', key)
    if (definition === undefined) return
    if (definition.metadata.deletionTimestamp === undefined) establish(definition, context)
    else cleanUp(definition, context)
  },
}
