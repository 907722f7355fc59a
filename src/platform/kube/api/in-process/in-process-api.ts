/** Implements the KubeApi port without sockets or JSON, with the same authorisation, admission and audit. */
import type { NodeDirectory, User } from '#platform/kube/ports'
import type { KubeApi } from '#spec'
import type { ApiService } from '../api-service.ts'
import { createInProcessObjects } from './in-process-objects.ts'
import { createInProcessPods } from './in-process-pods.ts'
import { createInProcessWatch } from './in-process-watch.ts'

export const createInProcessApi = (service: ApiService, nodes: NodeDirectory, user: User): KubeApi => ({
  ...createInProcessObjects(service, user),
  ...createInProcessPods(service, nodes, user),
  watch: createInProcessWatch(service, user),
})
