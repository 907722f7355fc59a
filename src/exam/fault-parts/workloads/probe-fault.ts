/** Defines faults that break a probe of the main container. */
import {
  defineFault,
  type Fault,
  type FaultCase,
  type Hack,
  type ParameterDeclaration,
  type ProbeName,
} from '#spec'
import { addReplica } from '../hacks/release-hacks.ts'
import { mainContainer } from './containers.ts'
import {
  deployedCheck,
  deployedProbe,
  judgeProbe,
  probeIn,
  unusedPort,
  withProbe,
  withWholeProbe,
} from './probe-edits.ts'
import { patchTarget } from './restore-workload.ts'
import { defineTemplateFault, type TemplateDeclaration } from './template-fault.ts'

interface ProbeDeclaration
  extends Pick<
    TemplateDeclaration,
    'name' | 'about' | 'category' | 'impactOnceReady' | 'symptoms' | 'taskName' | 'targets'
  > {
  readonly field: ProbeName
  readonly parameters?: Readonly<Record<string, ParameterDeclaration>>
  /** The path or command of the probe, depending on the parameter `way`. */
  readonly path: string
  readonly command: readonly string[]
  /** The timing and thresholds of the probe. */
  timing(faultCase: FaultCase): object
  /** A hack that changes the probe, but keeps its wrong check. */
  readonly hack: Pick<Hack, 'name' | 'about'> & { readonly change: object }
}

const HANDLER: ParameterDeclaration = {
  type: 'choice',
  about: 'The handler of the probe',
  choices: ['port', 'path', 'command'],
  default: 'port',
}

const alwaysSucceed = (field: ProbeName): Hack => ({
  name: 'make-the-probe-always-succeed',
  about: 'Replaces the probe with one that always succeeds and runs once an hour',
  async act(context) {
    const probe = { exec: { command: ['true'] }, initialDelaySeconds: 0, periodSeconds: 3600 }
    await patchTarget(context, { template: { spec: withProbe(context, field, probe) } })
  },
})

/** The request is right, but its result does not matter. */
const ignoreTheResult = (field: ProbeName): Hack => ({
  name: 'ignore-the-result-of-the-probe',
  about: 'Replaces the probe with a command that requests the service and succeeds whatever it answers',
  async act(context) {
    const [port] = mainContainer(context.system, context.target.service).ports ?? []
    const script = `wget -q -O /dev/null http://localhost:${port?.containerPort ?? 80}/ || true`
    const probe = { exec: { command: ['sh', '-c', script] } }
    await patchTarget(context, { template: { spec: withWholeProbe(context, field, probe) } })
  },
})

const keepTiming = (field: ProbeName, timingOf: (faultCase: FaultCase) => object): Hack => ({
  name: 'correct-the-check-but-not-the-timing',
  about: 'Corrects the check of the probe, but keeps its timing, so that a single failure has an effect',
  async act(context) {
    const probe = { ...deployedCheck(context.system, context.target.service, field), ...timingOf(context) }
    await patchTarget(context, { template: { spec: withProbe(context, field, probe) } })
  },
})

export const defineProbeFault = (declaration: ProbeDeclaration): Fault => {
  const { field, path, command, timing, hack, parameters = {}, ...rest } = declaration
  const timingOf = (faultCase: FaultCase): object => ({
    initialDelaySeconds: 0,
    failureThreshold: 1,
    ...timing(faultCase),
  })
  const toProbe = (faultCase: FaultCase): object => {
    const port = unusedPort(mainContainer(faultCase.system, faultCase.target.service))
    const handlers: Readonly<Record<string, object>> = {
      port: { tcpSocket: { port } },
      path: { httpGet: { path, port } },
      command: { exec: { command } },
    }
    return { ...handlers[String(faultCase.params.way)], ...timingOf(faultCase) }
  }
  const { name, about, change } = hack
  const edited = defineTemplateFault({
    ...rest,
    layer: 'virtualisation',
    type: 'misconfiguration',
    parameters: { way: HANDLER, ...parameters },
    edit: (faultCase) => withProbe(faultCase, field, toProbe(faultCase)),
    undo: (faultCase) =>
      withWholeProbe(faultCase, field, deployedProbe(faultCase.system, faultCase.target.service, field)),
    read: (workload, faultCase) => probeIn(workload, faultCase, field),
    hacks: [
      addReplica,
      alwaysSucceed(field),
      ignoreTheResult(field),
      keepTiming(field, timingOf),
      {
        name,
        about,
        async act(context) {
          const spec = withProbe(context, field, { ...toProbe(context), ...change })
          await patchTarget(context, { template: { spec } })
        },
      },
    ],
  })
  return defineFault({
    ...edited,
    isGone: (snapshot) => judgeProbe(snapshot, field),
    scope: ({ target }) => ({ services: [target.service], probes: [field, 'startupProbe'] }),
  })
}
