/** Runs a cluster with simulated pods until the command is interrupted. */
import { resolve } from 'node:path'
import { createRandom, createRealClock, waitForStopSignal } from '#kit'
import type { CommandContext } from '../define-command.ts'
import { checkKubeconfig, openAuditLog, removeKubeconfig, writeKubeconfig } from './cluster-files.ts'
import type { UpOptions } from './up-options.ts'

const DEFAULT_KUBECONFIG = 'remedium.kubeconfig'

export const runSimCluster = async (
  options: UpOptions,
  { answer, progress }: Pick<CommandContext, 'answer' | 'progress'>,
): Promise<void> => {
  const path = options.kubeconfig ?? resolve(DEFAULT_KUBECONFIG)
  checkKubeconfig(path)
  // Loaded here and not above, so that `remedium --help` does not load the whole Kubernetes implementation.
  const kube = await import('#platform/kube/simulated')
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
  const ended = waitForStopSignal()
  const server = await cluster.listen({ port: options.port }).catch((error: unknown) => {
    cluster.stop()
    throw error
  })
  let isWritten = false
  try {
    writeKubeconfig(path, server.kubeconfig)
    isWritten = true
    const { url, token, certificateAuthority } = server
    answer(
      { server: url, kubeconfig: path, token, certificateAuthority },
      `The API server listens at ${url}.\n\n  export KUBECONFIG=${path}\n  kubectl get nodes\n\nPress Ctrl-C to stop the cluster.\n`,
    )
    await ended
  } finally {
    if (isWritten) removeKubeconfig(path, server.kubeconfig)
    await server.close()
    cluster.stop()
    audit?.end()
  }
}
