/** The parameters and the state of one run of the module k8s_drain. */
import type { ModuleCall } from '../module.ts'
import type { ApiClient } from './api-client.ts'
import type { Resource } from './find-resource.ts'

export interface DrainContext {
  readonly call: ModuleCall
  readonly client: ApiClient
  readonly nodes: Resource
  readonly pods: Resource
  readonly name: string
  readonly options: Record<string, any>
  isChanged: boolean
}
