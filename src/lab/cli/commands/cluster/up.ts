/** `remedium cluster up`: starts a cluster, with a system on it if one is named. */
import { resolve } from 'node:path'
import { ensureSystemPackages } from '#lab/tools'
import { type EngineName, RemediumError } from '#spec'
import { checkOutFile } from '../../check-out-file.ts'
import type { Announcement } from '../../clusters/run-cluster.ts'
import type { UpOptions } from '../../clusters/up-options.ts'
import { type CommandContext, defineCommand } from '../../define-command.ts'

const toText = ({ name, server, kubeconfig, entryPoints }: Announcement, ending: string): string => {
  const urls = entryPoints.map((entryPoint) => `  ${entryPoint.name}: ${entryPoint.url}\n`).join('')
  return `The API server listens at ${server}.\n\n  export KUBECONFIG=${kubeconfig}\n  kubectl get pods -A\n${
    urls === '' ? '' : `\n${urls}`
  }\n${ending.replace('NAME', name)}\n`
}

const chooseEngine = (given: EngineName | undefined): EngineName => {
  const engine = given ?? (process.platform === 'linux' ? 'local' : 'sim')
  // Checked here, because the local engine does not even load on other operating systems.
  if (engine === 'local' && process.platform !== 'linux')
    throw new RemediumError('not-permitted', 'Real containers require Linux.', {
      hint: 'Use "--engine sim" for simulated containers.',
    })
  return engine
}

/** Throws if a file cannot be written, before a package is installed or a process started. */
const checkPaths = ({ kubeconfig, auditLog, telemetry }: UpOptions): void => {
  if (kubeconfig !== undefined) checkOutFile(kubeconfig, 'kubeconfig', '--kubeconfig')
  if (auditLog !== undefined) checkOutFile(auditLog, 'audit log', '--audit-log')
  if (telemetry !== undefined) checkOutFile(telemetry, 'telemetry', '--telemetry')
}

const runInForeground = async (options: UpOptions, context: CommandContext): Promise<void> => {
  const { runClusterOf } = await import('../../clusters/run-cluster-of.ts')
  await runClusterOf(options, {
    signal: new AbortController().signal,
    onProgress: context.progress,
    onError: context.progress,
    onReady: (announcement) =>
      context.answer(announcement, toText(announcement, 'Press Ctrl-C to stop the cluster.')),
  })
}

export const up = defineCommand({
  summary: 'Start a Kubernetes cluster, with a microservice system on it if one is named',
  options: {
    system: { type: 'string', value: 'SYSTEM', about: 'the system to deploy; see "remedium systems"' },
    name: { type: 'string', value: 'NAME', about: 'the name of the cluster' },
    engine: {
      type: 'string',
      value: 'ENGINE',
      about:
        'local for real containers (default on Linux, needs root), or sim for simulated ones, which need nothing; an empty cluster of sim runs in the foreground',
      choices: ['local', 'sim'],
    },
    foreground: { type: 'boolean', about: 'run in the foreground until interrupted' },
    nodes: { type: 'integer', value: 'N', about: 'the number of nodes', default: 3, min: 1, max: 200 },
    port: {
      type: 'integer',
      value: 'PORT',
      about: 'the port of the API server on the loopback address; 0 for any free port',
      default: 0,
      min: 0,
      max: 65_535,
    },
    kubeconfig: {
      type: 'string',
      value: 'FILE',
      about: 'also write the kubeconfig to this file (default with sim: ./remedium.kubeconfig)',
    },
    'audit-log': {
      type: 'string',
      value: 'FILE',
      about: 'append every mutating request to this file as a JSON line',
    },
    telemetry: {
      type: 'string',
      value: 'FILE',
      about: 'keep the telemetry of the system in this file; see "remedium telemetry"',
    },
    seed: {
      type: 'string',
      value: 'SEED',
      about: 'the seed for generated names and identities',
      default: 'remedium',
      isNonEmpty: true,
    },
  },
  async run(context) {
    const { options: given, answer, progress } = context
    const engine = chooseEngine(given.engine)
    if (given.telemetry !== undefined && (given.system === undefined || engine === 'sim'))
      throw new RemediumError('bad-argument', '--telemetry requires --system and real containers.')
    if (engine === 'sim' && given.system === undefined && given.name !== undefined)
      throw new RemediumError('bad-argument', '--name requires --system or real containers.')
    const options: UpOptions = {
      engine,
      system: given.system,
      name: given.name,
      nodes: given.nodes,
      port: given.port,
      seed: given.seed,
      kubeconfig: given.kubeconfig === undefined ? undefined : resolve(given.kubeconfig),
      telemetry: given.telemetry === undefined ? undefined : resolve(given.telemetry),
      auditLog: given['audit-log'] === undefined ? undefined : resolve(given['audit-log']),
    }
    checkPaths(options)
    if (engine === 'sim' && given.system === undefined) {
      const { runSimCluster } = await import('../../clusters/run-sim-cluster.ts')
      await runSimCluster(options, context)
      return 0
    }
    if (engine === 'local') {
      await ensureSystemPackages(progress)
      const { checkMachine } = await import('#platform/engines/local/machine')
      checkMachine()
    }
    if (given.foreground) await runInForeground(options, context as CommandContext)
    else {
      const { startInBackground } = await import('../../clusters/start-in-background.ts')
      const announcement = await startInBackground(options, progress)
      answer(announcement, toText(announcement, 'Stop it with "remedium cluster down NAME".'))
    }
    return 0
  },
})
