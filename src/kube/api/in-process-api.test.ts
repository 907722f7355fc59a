/** Runs the contract of the KubeApi port in process. */
import { createInProcessApi } from './in-process-api.ts'
import { ADMIN, createTestService } from './testing/create-test-api.ts'
import { describeKubeApi } from './testing/kube-api-contract.ts'

describeKubeApi('in process', async () => {
  const nodes = { runtimeOf: () => undefined }
  const { service } = createTestService({ allows: ({ user }) => user.username === ADMIN.username })
  return {
    api: createInProcessApi(service, nodes, ADMIN),
    nobody: createInProcessApi(service, nodes, { username: 'nobody', groups: [] }),
  }
})
