/** The dependencies and the context of every write, and the steps of admission. */
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '#kit'
import { type Kind, services } from '#platform/kube/kinds'
import { type FieldError, type KubeObject, type Stored, toTime } from '#platform/kube/meta'
import { managedFieldsOfUpdate } from '#platform/kube/patch'
import type { AdmissionPlugin, AdmissionRequest, Client, User } from '#platform/kube/ports'
import type { Store } from '#platform/kube/store'
import type { KindDirectory } from './kind-directory.ts'
import type { ServiceAddresses } from './service-addresses.ts'

export interface Core {
  store: Store
  directory: KindDirectory
  clock: Clock
  random: Random
  admission: readonly AdmissionPlugin[]
  addresses: ServiceAddresses
  /** A client with unrestricted access, for admission and the API server. */
  client: Client
}

/** The user and the options of a write. */
export interface WriteContext {
  user: User
  /** The field manager under which changes are recorded. */
  manager: string
  dryRun?: boolean
  /** The API version of the request; the stored version by default. */
  apiVersion?: string
  warn?(message: string): void
  /** The object already has its managed fields, as after server-side apply. */
  isFieldOwnershipSet?: boolean
  /** A patch has no preconditions: a changed uid is invalid, and not a conflict. */
  isPatch?: boolean
}

type AdmissionSubject = Pick<AdmissionRequest, 'operation' | 'kind' | 'namespace' | 'name'> & {
  subresource?: string | undefined
  object?: KubeObject
  old?: KubeObject
}

const requestOf = (core: Core, subject: AdmissionSubject, context: WriteContext): AdmissionRequest => ({
  operation: subject.operation,
  kind: subject.kind,
  namespace: subject.namespace,
  name: subject.name,
  subresource: subject.subresource,
  object: subject.object,
  old: subject.old,
  user: context.user,
  dryRun: context.dryRun === true,
  client: core.client,
  now: core.clock.now(),
  warn: (message) => context.warn?.(message),
})

/** The mutating phase of admission. */
export const admit = (core: Core, subject: AdmissionSubject, context: WriteContext): void => {
  const request = requestOf(core, subject, context)
  for (const plugin of core.admission) plugin.admit?.(request)
}

/** The validating phase of admission. */
export const validateAdmission = (core: Core, subject: AdmissionSubject, context: WriteContext): void => {
  const request = requestOf(core, subject, context)
  for (const plugin of core.admission) plugin.validate?.(request)
}

/** Lets plugins record the write (quota usage), just before it is stored. */
export const commitAdmission = (core: Core, subject: AdmissionSubject, context: WriteContext): void => {
  const request = requestOf(core, subject, context)
  for (const plugin of core.admission) plugin.commit?.(request)
}

/** Assigns cluster IPs and node ports to Services; returns errors. */
export const assignAddresses = (
  core: Core,
  kind: Kind,
  draft: KubeObject,
  old: KubeObject | undefined,
): FieldError[] =>
  kind.id === services.id
    ? core.addresses.assign(draft as Stored<Service>, old as Stored<Service> | undefined)
    : []

const STATUS_FIELDS = { 'f:status': {} }

interface TrackedWrite {
  kind: Kind
  draft: KubeObject
  old?: KubeObject
  subresource?: string | undefined
}

/**
 * Updates the managed fields. Must run before admission and the kind's own rules, so that the client does not
 * become the owner of fields that the server sets.
 */
export const trackFields = (
  core: Core,
  { kind, draft, old, subresource }: TrackedWrite,
  context: WriteContext,
): void => {
  if (context.isFieldOwnershipSet === true) return
  const managedFields = managedFieldsOfUpdate({
    schema: core.directory.storage(kind).schema,
    old,
    next: draft,
    manager: context.manager,
    apiVersion: kind.apiVersion,
    time: toTime(core.clock.now()),
    subresource,
    reset: kind.hasStatus && subresource === undefined ? STATUS_FIELDS : undefined,
  })
  const { managedFields: _, ...metadata } = draft.metadata
  draft.metadata = managedFields === undefined ? metadata : { ...metadata, managedFields }
}
