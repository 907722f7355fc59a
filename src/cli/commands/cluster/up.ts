/** `remedium cluster up`: a live embedded cluster, for as long as the command runs. */
import { createWriteStream, openSync, rmSync, type WriteStream, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createRandom, createRealClock } from '../../../kit/index.ts'
import type { Cluster, ListeningCluster } from '../../../kube/index.ts'
import { RemediumError } from '../../../spec/index.ts'
import { defineCommand } from '../../define-command.ts'

const MOST_NODES = 200
const PORT_FAULTS = new Set(['EADDRINUSE', 'EACCES', 'ERR_SOCKET_BAD_PORT'])

/** Resolves when the user or the system asks the command to end, or the terminal is closed. */
const askedToEnd = (): Promise<void> =>
  new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end())
  })

const writeKubeconfig = (path: string, text: string): void => {
  try {
    // Never over a file that is there: it may be somebody's only way into another cluster.
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    throw new RemediumError('bad-argument', `The kubeconfig cannot be written to ${path}.`, {
      hint: exists
        ? 'The file exists, perhaps from a cluster that still runs: remove it, or name another with --kubeconfig.'
        : 'Name a file in a folder that exists and may be written to, with --kubeconfig.',
      cause,
    })
  }
}

/** Opened before the cluster starts, so that a name that cannot be written to is told at once. */
const openAuditLog = (file: string | undefined): WriteStream | undefined => {
  if (file === undefined) return undefined
  const path = resolve(file)
  try {
    return createWriteStream(path, { fd: openSync(path, 'a', 0o600) })
  } catch (cause) {
    throw new RemediumError('bad-argument', `The audit log cannot be written to ${path}.`, {
      hint: 'Name a file in a folder that exists and may be written to, with --audit-log.',
      cause,
    })
  }
}

const listen = async (cluster: Cluster, port: number): Promise<ListeningCluster> => {
  try {
    return await cluster.listen({ port })
  } catch (cause) {
    cluster.stop()
    if (!PORT_FAULTS.has((cause as NodeJS.ErrnoException).code ?? '')) throw cause
    throw new RemediumError('bad-argument', `The cluster cannot listen on port ${port}.`, {
      hint: 'Name another port with --port, or 0 for any free one.',
      cause,
    })
  }
}

export const up = defineCommand({
  summary: 'Run an embedded Kubernetes with modelled pods until interrupted',
  options: {
    nodes: { type: 'integer', value: 'N', about: 'how many nodes it has', default: 3 },
    port: {
      type: 'integer',
      value: 'PORT',
      about: 'the port on the loopback address; 0 takes any free one',
      default: 0,
    },
    kubeconfig: {
      type: 'string',
      value: 'FILE',
      about: 'where to write the kubeconfig',
      default: 'remedium.kubeconfig',
    },
    'audit-log': {
      type: 'string',
      value: 'FILE',
      about: 'where to write every mutating request, one JSON line each',
    },
    seed: {
      type: 'string',
      value: 'SEED',
      about: 'what names and identities are drawn from',
      default: 'remedium',
    },
  },
  async run({ options, answer, progress }) {
    if (options.nodes < 1 || options.nodes > MOST_NODES) {
      throw new RemediumError(
        'bad-argument',
        `--nodes must be between 1 and ${MOST_NODES}, not ${options.nodes}.`,
      )
    }
    // Loaded here and not above, so that `remedium --help` need not load a whole Kubernetes.
    const kube = await import('../../../kube/index.ts')
    const clock = createRealClock()
    const random = createRandom(options.seed)
    const audit = openAuditLog(options['audit-log'])
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
    const path = resolve(options.kubeconfig)
    const server = await listen(cluster, options.port)
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
      if (written) rmSync(path, { force: true })
      await server.close()
      cluster.stop()
      audit?.end()
    }
    return 0
  },
})
