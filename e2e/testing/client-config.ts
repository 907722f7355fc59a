/** The configuration of @kubernetes/client-node for a test cluster. */
import { KubeConfig } from '@kubernetes/client-node'
import type { TestCluster } from './test-cluster.ts'

/** That of the administrator with a token, unless another kubeconfig is given. */
export const clientConfig = (
  { server }: Pick<TestCluster, 'server'>,
  kubeconfig: string = server.kubeconfig,
): KubeConfig => {
  const config = new KubeConfig()
  config.loadFromString(kubeconfig)
  return config
}

/** The same cluster with another token. */
export const configFor = ({ server }: Pick<TestCluster, 'server'>, token: string): KubeConfig => {
  const config = new KubeConfig()
  const caData = Buffer.from(server.certificateAuthority).toString('base64')
  const place = { name: 'test', server: server.url, caData, skipTLSVerify: false }
  config.loadFromClusterAndUser(place, { name: 'bearer', token })
  return config
}
