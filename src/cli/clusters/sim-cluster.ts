/** A cluster with modelled pods, for as long as its command runs. */
import { resolve } from 'node:path'
import { createRandom, createRealClock } from '../../kit/index.ts'
import type { CommandContext } from '../define-command.ts'
import { askedToEnd } from './asked-to-end.ts'
import { openAuditLog, removeKubeconfig, writeKubeconfig } from './cluster-files.ts'
import type { UpOptions } from './up-options.ts'

const KUBECONFIG = 'remedium.kubeconfig'

export const runSimCluster = async (
  options: UpOptions,
  { answer, progress }: Pick<CommandContext, 'answer' | 'progress'>,
): Promise<void> => {
  // Loaded here and not above, so that `remedium --help` need not load a whole Kubernetes.
  const kube = await import('../../kube/index.ts')
  const clock = createRealClock()
  const random = createRandom(options.seed)
  const audit = openAuditLog(options.auditLog)
  const cluster = kube.createCluster({
    clock,
    random,
    nodes: kube.defaultNodes(options.nodes),
    runtimeFor: (_node, nodeIndex) =>
      kube.createSimulatedRuntime({ clock, random, nodeIndex, images: kube.everydayImages }),
    onAudit: (event) => audit?.write(`${JSON.stringify(event)}\n`),
    onError: (where, error) =>
      progress(`${where}: ${error instanceof Error ? error.message : String(error)}`),
  })
  const ended = askedToEnd()
  const path = options.kubeconfig ?? resolve(KUBECONFIG)
  const server = await cluster.listen({ port: options.port }).catch((error: unknown) => {
    cluster.stop()
    throw error
  })
  let written = false
  try {
    writeKubeconfig(path, server.kubeconfig)
    written = true
    const { url, token, certificateAuthority } = server
    answer(
      { server: url, kubeconfig: path, token, certificateAuthority },
      `The cluster answers at ${url}.\n\n  export KUBECONFIG=${path}\n  kubectl get nodes\n\nCtrl-C ends it.\n`,
    )
    await ended
  } finally {
    if (written) removeKubeconfig(path, server.kubeconfig)
    await server.close()
    cluster.stop()
    audit?.end()
  }
}
