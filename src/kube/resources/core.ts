/** What every write works with: the store, the kinds, time, chance and the admission plugins. */

import type { Service } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '../../kit/index.ts'
import { type Kind, services } from '../kinds/index.ts'
import { type FieldError, type KubeObject, type Stored, toTime } from '../meta/index.ts'
import { trackUpdate } from '../patch/index.ts'
import type { AdmissionPlugin, AdmissionRequest, Client, User } from '../ports/index.ts'
import type { Store } from '../store/index.ts'
import type { KindDirectory } from './kind-directory.ts'
import type { ServiceAddresses } from './service-addresses.ts'

export interface Core {
  store: Store
  directory: KindDirectory
  clock: Clock
  random: Random
  admission: readonly AdmissionPlugin[]
  addresses: ServiceAddresses
  /** Trusted access for admission and for parts of the API itself. */
  client: Client
}

/** Who writes, and how. */
export interface WriteContext {
  user: User
  /** The field manager under which changes are recorded. */
  manager: string
  dryRun?: boolean
  /** The served version through which the write comes; absent: the stored one. */
  apiVersion?: string
  warn?(message: string): void
  /** Set where the ownership of fields has been settled already, as server-side apply does. */
  ownFields?: boolean
}

type Subject = Pick<AdmissionRequest, 'operation' | 'kind' | 'namespace' | 'name'> & {
  subresource?: string | undefined
  object?: KubeObject
  old?: KubeObject
}

const requestOf = (core: Core, subject: Subject, context: WriteContext): AdmissionRequest => ({
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

/** The first round of admission, which may change the draft. */
export const admit = (core: Core, subject: Subject, context: WriteContext): void => {
  const request = requestOf(core, subject, context)
  for (const plugin of core.admission) plugin.admit?.(request)
}

/** The second round, which may only refuse. */
export const admitFinally = (core: Core, subject: Subject, context: WriteContext): void => {
  const request = requestOf(core, subject, context)
  for (const plugin of core.admission) plugin.validate?.(request)
}

/** The last step before the store: what keeps account of the write does so now. */
export const book = (core: Core, subject: Subject, context: WriteContext): void => {
  const request = requestOf(core, subject, context)
  for (const plugin of core.admission) plugin.book?.(request)
}

/** Cluster addresses and node ports for Services; nothing for other kinds. */
export const assignAddresses = (
  core: Core,
  kind: Kind,
  draft: KubeObject,
  old: KubeObject | undefined,
): FieldError[] =>
  kind.id === services.id
    ? core.addresses.assign(draft as Stored<Service>, old as Stored<Service> | undefined)
    : []

const STATUS = { 'f:status': {} }

/**
 * Keeps account of who set which field. Done on what the client asked for, before admission and the kind's own
 * rules add theirs, so that nobody comes to own what the server has filled in.
 */
export const ownFields = (
  core: Core,
  kind: Kind,
  draft: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
  subresource: string | undefined,
): void => {
  if (context.ownFields === true) return
  const managedFields = trackUpdate({
    schema: core.directory.storage(kind).schema,
    old,
    next: draft,
    manager: context.manager,
    apiVersion: kind.apiVersion,
    time: toTime(core.clock.now()),
    subresource,
    reset: kind.hasStatus && subresource === undefined ? STATUS : undefined,
  })
  const { managedFields: _, ...metadata } = draft.metadata
  draft.metadata = managedFields === undefined ? metadata : { ...metadata, managedFields }
}
