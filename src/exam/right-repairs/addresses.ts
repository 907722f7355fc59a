/** Repairs of addresses in variables that reach the upstream by another name or its cluster IP. */
import {
  deployedService,
  patchTarget,
  serviceRef,
  serviceSpec,
  servicesOf,
  splitAddress,
  variableSetTo,
  workloadRef,
} from '#exam/fault-parts'
import { type FaultCase, type RepairContext, viewAs } from '#spec'
import type { RightRepair } from './right-repair.ts'

const FAULTS: readonly string[] = ['address-wrong', 'port-wrong']

const setHost = async (context: RepairContext, host: string): Promise<void> => {
  const { system, target } = context
  const { port } = splitAddress(target.value)
  const address = port === '' ? host : `${host}:${port}`
  await patchTarget(context, { template: { spec: variableSetTo(system, target, address) } })
}

const serviceNameOf = ({ target }: Pick<FaultCase, 'target'>): string => splitAddress(target.value).host

const hasClusterAddress = (faultCase: FaultCase): boolean =>
  serviceSpec(deployedService(faultCase.system, serviceNameOf(faultCase))).clusterIP !== 'None'

const setAddress = (context: RepairContext, address: string): Promise<unknown> =>
  patchTarget(context, { template: { spec: variableSetTo(context.system, context.target, address) } })

/** The prefix of the variables that Kubernetes sets for the Service. */
const variablePrefixOf = (faultCase: Pick<FaultCase, 'target'>): string =>
  serviceNameOf(faultCase).toUpperCase().replaceAll('-', '_')

/** Whether the address names the first port of the Service, which the variable of the port holds. */
const isFirstPort = (faultCase: FaultCase): boolean => {
  const [first] = serviceSpec(deployedService(faultCase.system, serviceNameOf(faultCase))).ports ?? []
  return splitAddress(faultCase.target.value).port === String(first?.port)
}

/** The name of the upstream's Service, from which its host aliases are derived. */
const upstreamServiceOf = ({ system, target }: Pick<FaultCase, 'system' | 'target'>): string =>
  servicesOf(system, String(target.upstream))[0]!.metadata.name

const correctHostAlias: RightRepair = {
  name: 'correct-the-host-alias',
  about: 'Corrects the address in the host aliases to the cluster IP of the Service',
  faults: ['dns-misdirected'],
  fits: ({ system, target, params }) =>
    params.by !== 'nameserver' &&
    servicesOf(system, String(target.upstream)).length === 1 &&
    serviceSpec(servicesOf(system, String(target.upstream))[0]).clusterIP !== 'None',
  async act(context) {
    const { api, system, target } = context
    const service = await api.get(serviceRef(system, upstreamServiceOf(context)))
    const ip = viewAs('Service', service).spec?.clusterIP
    await api.patch(workloadRef(system, target.service), 'json', [
      { op: 'replace', path: '/spec/template/spec/hostAliases/0/ip', value: ip },
    ])
  },
}

export const ADDRESSES: readonly RightRepair[] = [
  correctHostAlias,
  {
    name: 'refer-to-the-variables-of-the-service',
    about: 'Sets the address with the variables for the Service, which Kubernetes expands',
    faults: FAULTS,
    fits: (faultCase) => hasClusterAddress(faultCase) && isFirstPort(faultCase),
    async act(context) {
      const prefix = variablePrefixOf(context)
      await setAddress(context, `$(${prefix}_SERVICE_HOST):$(${prefix}_SERVICE_PORT)`)
    },
  },
  {
    name: 'set-the-variable-in-all-containers',
    about: 'Sets the address in all containers of the pods, as kubectl set env does without a container',
    faults: FAULTS,
    fits: ({ system, target }) => system.workloadOf(target.service).podSpec.containers.length > 1,
    async act(context) {
      const { system, target } = context
      const env = [{ name: String(target.variable), value: String(target.value) }]
      const { containers } = system.workloadOf(target.service).podSpec
      await patchTarget(context, {
        template: { spec: { containers: containers.map(({ name }) => ({ name, env })) } },
      })
    },
  },
  {
    name: 'use-the-cluster-address',
    about: 'Sets the address to the cluster IP of the Service',
    faults: FAULTS,
    fits: hasClusterAddress,
    async act(context) {
      const service = await context.api.get(serviceRef(context.system, serviceNameOf(context)))
      await setHost(context, viewAs('Service', service).spec?.clusterIP ?? '')
    },
  },
  {
    name: 'use-the-absolute-name',
    about: 'Sets the address to the full name of the Service, with a dot at its end',
    faults: FAULTS,
    act: (context) =>
      setHost(context, `${serviceNameOf(context)}.${context.system.namespace}.svc.cluster.local.`),
  },
]
