/** `remedium cluster up`: a live cluster, with a system on it where one is named. */
import { resolve } from 'node:path'
import { RemediumError } from '../../../spec/index.ts'
import type { Announcement } from '../../clusters/run-local-cluster.ts'
import type { UpOptions } from '../../clusters/up-options.ts'
import { type CommandContext, defineCommand } from '../../define-command.ts'
import { ensureSystemPackages } from '../../tools/system-packages.ts'

const toText = ({ name, server, kubeconfig, entryPoints }: Announcement, ending: string): string => {
  const doors = entryPoints.map((door) => `  ${door.name}: ${door.url}\n`).join('')
  return `The cluster answers at ${server}.\n\n  export KUBECONFIG=${kubeconfig}\n  kubectl get pods -A\n${
    doors === '' ? '' : `\n${doors}`
  }\n${ending.replace('NAME', name)}\n`
}

const chooseEngine = (given: string | undefined): string => {
  const engine = given ?? (process.platform === 'linux' ? 'local' : 'sim')
  // Here, because nothing of the local engine can even be loaded elsewhere.
  if (engine === 'local' && process.platform !== 'linux')
    throw new RemediumError('not-permitted', 'Live containers need Linux.', {
      hint: 'Use "--engine sim", which models them.',
    })
  return engine
}

const runInForeground = async (options: UpOptions, context: CommandContext): Promise<void> => {
  const { runLocalCluster } = await import('../../clusters/run-local-cluster.ts')
  await runLocalCluster(options, {
    signal: new AbortController().signal,
    onProgress: context.progress,
    onError: context.progress,
    onReady: (announcement) => context.answer(announcement, toText(announcement, 'Ctrl-C ends it.')),
  })
}

export const up = defineCommand({
  summary: 'Start a live Kubernetes cluster, with a microservice system on it if one is named',
  options: {
    system: { type: 'string', value: 'SYSTEM', about: 'which system to put on it; see "remedium systems"' },
    name: { type: 'string', value: 'NAME', about: 'what to call it' },
    engine: {
      type: 'string',
      value: 'ENGINE',
      about:
        'local for real containers (the default on Linux), sim for modelled ones: an empty cluster, in the foreground only',
      choices: ['local', 'sim'],
    },
    foreground: { type: 'boolean', about: 'run until interrupted, instead of in the background' },
    nodes: { type: 'integer', value: 'N', about: 'how many nodes it has', default: 3, least: 1, most: 200 },
    port: {
      type: 'integer',
      value: 'PORT',
      about: 'the port on the loopback address; 0 takes any free one',
      default: 0,
    },
    kubeconfig: {
      type: 'string',
      value: 'FILE',
      about: 'where to write the kubeconfig as well; sim writes ./remedium.kubeconfig where absent',
    },
    'audit-log': {
      type: 'string',
      value: 'FILE',
      about: 'where to write every mutating request, one JSON line each',
    },
    telemetry: {
      type: 'string',
      value: 'FILE',
      about: 'where to keep what becomes known of the system, also after its end; see "remedium telemetry"',
    },
    seed: {
      type: 'string',
      value: 'SEED',
      about: 'what names and identities are drawn from',
      default: 'remedium',
    },
  },
  async run(context) {
    const { options: given, answer, progress } = context
    const engine = chooseEngine(given.engine)
    if (given.telemetry !== undefined && (given.system === undefined || engine === 'sim'))
      throw new RemediumError(
        'bad-argument',
        '--telemetry needs a system of real containers, named by --system.',
      )
    if (engine === 'sim' && (given.system !== undefined || given.name !== undefined))
      throw new RemediumError(
        'bad-argument',
        '--system and --name need real containers: the engine sim gives an empty cluster without a name.',
      )
    const options: UpOptions = {
      system: given.system,
      name: given.name,
      nodes: given.nodes,
      port: given.port,
      seed: given.seed,
      kubeconfig: given.kubeconfig === undefined ? undefined : resolve(given.kubeconfig),
      telemetry: given.telemetry === undefined ? undefined : resolve(given.telemetry),
      auditLog: given['audit-log'] === undefined ? undefined : resolve(given['audit-log']),
    }
    if (engine === 'sim') {
      const { runSimCluster } = await import('../../clusters/sim-cluster.ts')
      await runSimCluster(options, context)
      return 0
    }
    await ensureSystemPackages(progress)
    const { checkMachine } = await import('../../../engines/local/machine/index.ts')
    checkMachine()
    if (given.foreground) await runInForeground(options, context as CommandContext)
    else {
      const { startInBackground } = await import('../../clusters/start-in-background.ts')
      const announcement = await startInBackground(options, progress)
      answer(announcement, toText(announcement, 'It goes on until "remedium cluster down NAME".'))
    }
    return 0
  },
})
