/** Creates configurations of @kubernetes/client-node for a test cluster. */
import { KubeConfig } from '@kubernetes/client-node'
import type { TestCluster } from './test-cluster.ts'

/** Uses the administrator's token unless another kubeconfig is given. */
export const clientConfig = (
  { server }: Pick<TestCluster, 'server'>,
  kubeconfig: string = server.kubeconfig,
): KubeConfig => {
  const config = new KubeConfig()
  config.loadFromString(kubeconfig)
  return config
}

/** Uses the given token. */
export const configWithToken = ({ server }: Pick<TestCluster, 'server'>, token: string): KubeConfig => {
  const config = new KubeConfig()
  const caData = Buffer.from(server.certificateAuthority).toString('base64')
  const clusterConfig = { name: 'test', server: server.url, caData, skipTLSVerify: false }
  config.loadFromClusterAndUser(clusterConfig, { name: 'bearer', token })
  return config
}
