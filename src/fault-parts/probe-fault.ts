/** What faults in a probe have in common: a question that is wrong, and the one that was there. */
import {
  defineFault,
  type Fault,
  type FaultCase,
  type Hack,
  type ParameterDeclaration,
  type ProbeName,
} from '../spec/index.ts'
import { mainContainer } from './containers.ts'
import { asksRightly, deployedProbe, probeIn, withProbe, wrongPort } from './probe-edits.ts'
import { addReplica } from './release-hacks.ts'
import { patchTarget } from './restore-workload.ts'
import { defineTemplateFault, type TemplateDeclaration } from './template-fault.ts'

interface ProbeDeclaration
  extends Pick<TemplateDeclaration, 'name' | 'about' | 'category' | 'symptoms' | 'fixName' | 'targets'> {
  readonly field: ProbeName
  readonly parameters?: Readonly<Record<string, ParameterDeclaration>>
  /** What it asks for where `way` says so. */
  readonly path: string
  readonly command: readonly string[]
  /** How often it asks, and what it takes for an answer. */
  counts(about: FaultCase): object
  /** Changes that leave the question as it is. */
  readonly hack: Pick<Hack, 'name' | 'about'> & { readonly change: object }
}

const WAY: ParameterDeclaration = {
  type: 'choice',
  about: 'How the probe asks',
  choices: ['port', 'path', 'command'],
  default: 'port',
}

/** Whoever asks nothing hears nothing bad. */
const silence = (field: ProbeName): Hack => ({
  name: 'silence-the-probe',
  about: 'Replaces the probe by one that says yes to everything, once an hour',
  async act(context) {
    const yes = { exec: { command: ['true'] }, initialDelaySeconds: 0, periodSeconds: 3600 }
    await patchTarget(context, { template: { spec: withProbe(context, field, yes) } })
  },
})

export const defineProbeFault = (declaration: ProbeDeclaration): Fault => {
  const { field, path, command, counts, hack, parameters = {}, ...words } = declaration
  const toProbe = (about: FaultCase): object => {
    const port = wrongPort(mainContainer(about.system, about.target.service))
    const ways: Readonly<Record<string, object>> = {
      port: { tcpSocket: { port } },
      path: { httpGet: { path, port } },
      command: { exec: { command } },
    }
    return {
      ...ways[String(about.params.way)],
      initialDelaySeconds: 0,
      failureThreshold: 1,
      ...counts(about),
    }
  }
  const { name, about, change } = hack
  const edited = defineTemplateFault({
    ...words,
    layer: 'virtualisation',
    type: 'misconfiguration',
    parameters: { way: WAY, ...parameters },
    edit: (given) => withProbe(given, field, toProbe(given)),
    undo: (given) => withProbe(given, field, deployedProbe(given.system, given.target.service, field)),
    look: (workload, given) => probeIn(workload, given, field),
    hacks: [
      addReplica,
      silence(field),
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
    isGone: (scene) => asksRightly(scene, field),
    scope: ({ target }) => ({ services: [target.service], probes: [field] }),
  })
}
