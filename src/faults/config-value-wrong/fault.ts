/** A value in a ConfigMap that leads its reader to the wrong place. */
import {
  type ConfigPlace,
  configTask,
  deployedText,
  isConfigOtherwiseSame,
  neededEdges,
  readInText,
  replacePods,
  restartTask,
  restartTheTarget,
  restartTheUpstream,
  restoreConfig,
  setConfigValues,
  shortAddress,
  toPlaybook,
  upstreamPlaces,
  valueIn,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultTarget, type SystemView } from '../../spec/index.ts'

const toPlace = ({ map, file, path }: FaultTarget): ConfigPlace => ({
  map: String(map),
  file: String(file),
  path: String(path),
})

/** `rate:27017` to `rate:27018` or `rate-svc:27017`; a bare port to the next one, a bare host to another one. */
const misspell = (value: unknown, mistake: unknown): unknown => {
  if (typeof value === 'number') return value + 1
  const [host, port] = String(value).split(':')
  if (port === undefined) return `${host}-svc`
  return mistake === 'port' ? `${host}:${Number(port) + 1}` : `${host}-svc:${port}`
}

const isAddress = (value: unknown): boolean =>
  typeof value === 'number' || /^[\w-]+(:\d+)?$/.test(String(value))

/** Everybody asks the registry, and the value is the same for all. */
const isRegistry = (system: SystemView, service: string): boolean =>
  ['consul', 'nacos'].includes(system.topology?.services[service]?.behaviour.wire ?? '')

const targetsOf = (system: SystemView, service: string): FaultTarget[] =>
  upstreamPlaces(system, service, 'address')
    .filter(
      ({ upstream, ...place }) =>
        !isRegistry(system, upstream) &&
        neededEdges(system).some(({ from, to }) => from === service && to === upstream) &&
        isAddress(readInText(deployedText(system, place), place.path)),
    )
    .map((place) => ({ service, ...place }))

export const fault = defineFault({
  name: 'config-value-wrong',
  about:
    'A value in a ConfigMap was changed by mistake, and the service that reads it at its start looks in the wrong place',
  category: 'pod-config-error',
  layer: 'application',
  type: 'misconfiguration',
  binding: 'cause',
  parameters: {
    mistake: {
      type: 'choice',
      about: 'What of an address of both is wrong',
      choices: ['host', 'port'],
      default: 'host',
    },
  },
  symptoms: [
    'the service does not reach an upstream since its last start',
    'its log names an address that nobody answers at',
  ],
  targets: (system) =>
    system.workloads
      .filter(({ service }) => system.impactOf(service).down.length > 0)
      .flatMap(({ service }) => targetsOf(system, service)),
  async inject(context) {
    const { system, target, params } = context
    const place = toPlace(target)
    const right = readInText(deployedText(system, place), place.path)
    const wrong = misspell(right, params.mistake)
    await setConfigValues(context, place, { [place.path]: wrong })
    await replacePods(context, target.service)
    return { wrong }
  },
  async recover(context) {
    await restoreConfig(context, toPlace(context.target))
    await replacePods(context, context.target.service)
  },
  isGone(scene) {
    const { system, target, now } = scene
    const place = toPlace(target)
    const leadsTo = (value: unknown): unknown =>
      typeof value === 'string' ? shortAddress(system, value) : value
    const value = valueIn(now, place)
    const isSame = isConfigOtherwiseSame(scene, place)
    return {
      holds: isSame && leadsTo(value) === leadsTo(readInText(deployedText(system, place), place.path)),
      evidence: `${place.path} in ${place.file} of the ConfigMap ${place.map} is ${JSON.stringify(value)}${isSame ? '' : ', and the rest is not what it was'}`,
    }
  },
  fix: ({ system, target }) =>
    toPlaybook('Put the configuration right', [
      configTask('Put the value back', system, toPlace(target)),
      restartTask('Let the service read it', system, target.service),
    ]),
  hacks: [restartTheTarget, restartTheUpstream],
})
