/** The client, the clock and the parameters with which the module k8s changes an object. */
import type { Pace } from '../../run/pace.ts'
import type { ApiClient } from './api-client.ts'
import type { WaitCondition } from './waiter.ts'

export interface ObjectParameters {
  readonly state?: string | null
  readonly apply?: boolean | null
  readonly force?: boolean | null
  readonly merge_type?: readonly string[] | null
  readonly label_selectors?: readonly string[] | null
  readonly delete_options?: Readonly<Record<string, any>> | null
  readonly server_side_apply?: { field_manager: string; force_conflicts: boolean } | null
  readonly wait?: boolean | null
  readonly wait_sleep?: number | null
  readonly wait_timeout?: number | null
  readonly wait_condition?: WaitCondition | null
}

export interface ObjectContext {
  readonly client: ApiClient
  readonly pace: Pace
  readonly params: ObjectParameters
  readonly isCheckMode: boolean
}
