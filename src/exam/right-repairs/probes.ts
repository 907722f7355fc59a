/** Repairs of probes that keep the right check: with the timing of Kubernetes, by a command, or after a probe of the start. */
import { deployedCheck, deployedProbe, mainContainer, patchTarget, withWholeProbe } from '#exam/fault-parts'
import type { FaultCase, ProbeName, RepairContext } from '#spec'
import type { RightRepair } from './right-repair.ts'

const FIELDS: Readonly<Record<string, ProbeName>> = {
  'readiness-never': 'readinessProbe',
  'liveness-kills': 'livenessProbe',
}

const setProbe = async (context: RepairContext, field: ProbeName, probe: object): Promise<void> => {
  await patchTarget(context, { template: { spec: withWholeProbe(context, field, probe) } })
}

/** The request of the deployed readiness probe; undefined if it is none. */
const requestOf = ({ system, target }: Pick<FaultCase, 'system' | 'target'>) => {
  const { httpGet } = (deployedProbe(system, target.service, 'readinessProbe') ?? {}) as {
    readonly httpGet?: { readonly path?: string; readonly port: number | string }
  }
  return typeof httpGet?.port === 'number' ? httpGet : undefined
}

/** Images of Python contain no other program for requests. */
const requestByCommand: RightRepair = {
  name: 'check-readiness-by-a-command',
  about: 'Replaces the probe with a command that makes the former request, and fails if it fails',
  faults: ['readiness-never'],
  fits: (faultCase) =>
    requestOf(faultCase) !== undefined &&
    mainContainer(faultCase.system, faultCase.target.service).image?.startsWith('python:') === true,
  async act(context) {
    const { path = '/', port } = requestOf(context)!
    const script = `import urllib.request as u; u.urlopen("http://127.0.0.1:${port}${path}", timeout=2)`
    const exec = { command: ['python3', '-c', script] }
    await setProbe(context, 'readinessProbe', { exec, periodSeconds: 5, timeoutSeconds: 3 })
  },
}

const addStartupProbe: RightRepair = {
  name: 'check-liveness-after-the-start',
  about: 'Corrects the check of the probe, and adds a startup probe with the same check',
  faults: ['liveness-kills'],
  async act(context) {
    const { system, target } = context
    const check = deployedCheck(system, target.service, 'livenessProbe')
    const startupProbe = { ...check, periodSeconds: 2, failureThreshold: 30, timeoutSeconds: 2 }
    const { name } = mainContainer(system, target.service)
    await setProbe(context, 'livenessProbe', check)
    await patchTarget(context, { template: { spec: { containers: [{ name, startupProbe }] } } })
  },
}

const withDefaultTiming = Object.entries(FIELDS).map(
  ([fault, field]): RightRepair => ({
    name: `correct-the-probe-of-${fault}-with-default-timing`,
    about: 'Corrects the check of the probe, and removes its timing, so that the defaults apply',
    faults: [fault],
    act: (context) => setProbe(context, field, deployedCheck(context.system, context.target.service, field)),
  }),
)

export const PROBES: readonly RightRepair[] = [...withDefaultTiming, requestByCommand, addStartupProbe]
